import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import { makeMockNetwork, type MockAnswer } from '../../testing/mock-network.js';
import { visible } from '../../visible.js';
import { readJsonFile } from '../arguments.js';
import type { CliCapabilities } from '../capabilities.js';
import { reasonOf, usageError } from '../failure.js';

/** Hosts that a file of answers stands for. */
export interface MockedHosts {
  /** Answers a request of a plugin. Rejects if the file has no answer for it, and says on stderr what to add. */
  readonly answer: (request: Request) => Promise<Response>;
  /** The hosts of the routes, as permissions of the network name them. */
  hosts(): readonly string[];
  /**
   * Reads the file again, and returns whether it changed. Throws `INVALID_OPTIONS`, and then the former
   * answers stay.
   */
  reload(): Promise<boolean>;
}

/**
 * Reads `{"GET https://api.example.com/*": answer}`. An answer is sent as JSON with status 200, unless it has
 * the one key `$response`: `{"$response": {"status": 404, "headers": {}, "body": "no"}}`.
 */
export async function openMockFile(
  file: string,
  { stderr, ...capabilities }: Pick<CliCapabilities, 'readFile' | 'stderr'>,
): Promise<MockedHosts> {
  let routes: readonly string[] = [];
  const read = async () => {
    const content = await readJsonFile(file, '--mock', capabilities);
    if (!isRecord(content)) {
      throw usageError(
        '--mock',
        `--mock takes a file with a JSON object of routes, and ${file} has none.`,
      );
    }
    try {
      const network = makeMockNetwork(
        Object.fromEntries(
          Object.entries(content).map(([route, answer]) => [route, answerOf(answer)]),
        ),
      );
      routes = Object.keys(content);
      return network;
    } catch (error) {
      throw usageError('--mock', `${file} is not valid: ${reasonOf(error)}`);
    }
  };
  let network = await read();
  let text = await capabilities.readFile(file);
  return {
    answer: async (request) => {
      try {
        return await network.answer(request);
      } finally {
        // A plugin sees only that its request failed.
        for (const unanswered of network.takeUnanswered()) {
          const route = JSON.stringify(unanswered.replace(/[?#].*$/, ''));
          await stderr.write(`${visible(`${file} has no answer. Add ${route}: {}`)}\n`);
        }
      }
    },
    hosts: () => [...new Set(routes.flatMap(hostOfRoute))],
    reload: async () => {
      const former = text;
      text = await capabilities.readFile(file).catch(() => '');
      if (text === former) return false;
      network = await read();
      return true;
    },
  };
}

function answerOf(written: Json): MockAnswer {
  if (!isRecord(written) || Object.keys(written).join() !== '$response') return written;
  const spec = written['$response'];
  if (!isRecord(spec)) throw new TypeError('"$response" takes {"status", "headers", "body"}.');
  const { status = 200, headers = {}, body = null } = spec;
  if (typeof status !== 'number' || !isRecord(headers)) {
    throw new TypeError(
      '"status" in "$response" takes a number, and "headers" an object of texts.',
    );
  }
  const init = {
    status,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  };
  // A response is built for each request, because a wrong status must be found at once.
  const make = (): Response =>
    typeof body === 'string' ? new Response(body, init) : Response.json(body, init);
  make();
  return make;
}

/** The host of a route such as `GET https://api.example.com/*`; none if it has a wildcard. */
function hostOfRoute(route: string): readonly string[] {
  const [, scheme = '', host = ''] = /(https?):\/\/([^/?#\s]+)/.exec(route) ?? [];
  if (host === '' || host.includes('*')) return [];
  return [scheme === 'https' ? host : `${scheme}://${host}`];
}
