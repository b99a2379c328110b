/** A request that a plugin sent, as its server would have got it. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. Secrets are inserted. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the request has none. */
  readonly body?: string;
}

/** What answers a mocked request: a response, or data that is sent as JSON. */
export type MockAnswer = Response | MockData | (() => MockAnswer | Promise<MockAnswer>);
type MockData =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/**
 * The answers of mocked hosts. A function gets each request and returns its response, or `undefined`
 * if it has none. Else by route: `GET https://api.example.com/weather`, where the method may be left
 * out, and `*` stands for any characters. A query counts only if the route has one. The first route
 * that fits answers.
 */
export type MockFetch =
  | Readonly<Record<string, MockAnswer>>
  | ((request: Request) => Response | undefined | Promise<Response | undefined>);

/** The hosts of a plugin under test. */
export interface MockNetwork {
  readonly answer: (request: Request) => Promise<Response>;
  /** Everything that was sent, in order. */
  readonly sent: readonly SentRequest[];
  /** What was sent and nothing answers, since the last look. */
  takeUnanswered(): readonly string[];
}

/** `otherwise` answers what `fetch` does not. Default: nothing does. */
export function makeMockNetwork(
  fetch: MockFetch = {},
  otherwise: (request: Request) => Promise<Response | undefined> = async () => undefined,
): MockNetwork {
  const sent: SentRequest[] = [];
  let unanswered: string[] = [];
  const routes = typeof fetch === 'function' ? [] : Object.entries(fetch).map(makeRoute);

  const find = async (request: Request): Promise<Response | undefined> => {
    if (typeof fetch === 'function') return fetch(request);
    const route = routes.find(({ fits }) => fits(request));
    return route === undefined ? undefined : respond(route.answer);
  };

  return {
    sent,
    answer: async (request) => {
      const { method, url, headers } = request;
      const body = request.body === null ? undefined : await request.clone().text();
      sent.push({
        method,
        url,
        headers: Object.fromEntries(headers),
        ...(body === undefined ? {} : { body }),
      });
      const response = (await find(request)) ?? (await otherwise(request));
      if (response !== undefined) return response;
      unanswered.push(`${method} ${url}`);
      throw new Error(`No mock answers ${method} ${url}.`);
    },
    takeUnanswered: () => {
      const taken = unanswered;
      unanswered = [];
      return taken;
    },
  };
}

interface Route {
  readonly answer: MockAnswer;
  fits(request: Request): boolean;
}

/** Throws a TypeError for a route that names no URL. */
function makeRoute([route, answer]: readonly [string, MockAnswer]): Route {
  const [, method, place = ''] = /^(?:([A-Z]+) +)?(\S+)$/.exec(route) ?? [];
  if (!/^https?:\/\/[^/]/.test(place)) {
    throw new TypeError(
      `The mocked route ${JSON.stringify(route)} names no URL: write e.g. "GET https://api.example.com/weather".`,
    );
  }
  const withPath = /^https?:\/\/[^/?]+$/.test(place) ? `${place}/` : place;
  const parts = withPath.split('*').map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`);
  const hasQuery = place.includes('?');
  return {
    answer,
    fits: ({ method: asked, url }) => {
      const at = hasQuery ? url : url.replace(/[?#].*$/, '');
      return (method === undefined || method === asked) && pattern.test(at);
    },
  };
}

/** A response can be read once, so each request gets a copy. */
async function respond(answer: MockAnswer): Promise<Response> {
  if (typeof answer === 'function') return respond(await answer());
  return answer instanceof Response ? answer.clone() : Response.json(answer);
}
