import { clock } from './clock.js';
import { compartmentGlobal } from './compartment-globals.js';
import { refusal } from './denied.js';
import { linkedVariables } from './linked-variables.js';
import { makeProcess } from './process-maker.js';

export const process: object = makeProcess({
  global: compartmentGlobal,
  variables: linkedVariables,
  clock,
  refusal: (name) => refusal('process', name),
});

export const builtin: object = process;
