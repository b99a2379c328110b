import { appendFileSync } from 'node:fs';
import { createEngine, type ProgramCall } from '../../../src/index.js';

/**
 * A host in a process of its own, which tests kill. It runs the program of its first message, or resumes one,
 * and sends the result. Its tool `send` writes a line: the effect. `hang` writes it and never answers.
 */
const [, , storageDirectory = '', effects = ''] = process.argv;
const send = (message: object): void => void process.send?.(message);

const engine = await createEngine({
  plugins: [],
  storageDirectory,
  enclaveKeyFile: `${storageDirectory}.key`,
  tolerance: 'default',
  idempotent: ['again'],
  limits: { pool: 0 },
  coreTools: ['send', 'hang', 'again'].map((name) => ({
    name,
    risk: name === 'send' ? 'medium' : 'low',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    execute: ({ to }) => {
      appendFileSync(effects, `${name} ${JSON.stringify(to)}\n`);
      if (name === 'hang') send({ hangs: to });
      return name === 'hang' ? new Promise<never>(() => {}) : `sent to ${JSON.stringify(to)}`;
    },
  })),
});
engine.approvals.on('request', ({ approvalId, input }) => send({ asked: approvalId, input }));

process.on('message', (order: { readonly source?: string; readonly resume?: string }) => {
  const { source, resume } = order;
  const options = {
    onCall: ({ state, input }: ProgramCall): void => send({ state, input }),
  };
  const done =
    resume === undefined
      ? engine.runProgram(source ?? '', options)
      : engine.programs.resume(resume, options);
  done.then(
    (result) => send({ result }),
    (error: unknown) => send({ error: String(error) }),
  );
});
send({ ready: true, programs: engine.programs.list() });
