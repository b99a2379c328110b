// Evaluates dist/validator.js as a guest does. For each line of stdin ({"schema", "inputs"}) it
// writes one line with the validator's answers or the compile error.
import 'ses';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { makeCompartment } from '../../../dist/sandbox/compartment.js';

lockdown({
  errorTaming: 'safe',
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  reporting: 'none',
  consoleTaming: 'unsafe',
  regExpTaming: 'safe',
  localeTaming: 'safe',
  overrideTaming: 'severe',
  overrideDebug: [],
  stackFiltering: 'verbose',
  evalTaming: 'safe-eval',
  domainTaming: 'safe',
  legacyRegeneratorRuntimeTaming: 'safe',
  __hardenTaming__: 'safe',
});

const started = performance.now();
const compartment = makeCompartment({ globals: {}, assigned: [] });
const { compile } = compartment.evaluate(
  readFileSync(new URL('../../../dist/validator.js', import.meta.url), 'utf8'),
)();
const evaluatedMs = performance.now() - started;

const answer = ({ schema, inputs }) => {
  const before = performance.now();
  try {
    const validate = compile(schema);
    const compiledMs = performance.now() - before;
    return { answers: inputs.map(validate), evaluatedMs, compiledMs };
  } catch (error) {
    return { error: error.message };
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line))));
}
