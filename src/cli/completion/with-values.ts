import { Argument, Option } from 'commander';

/**
 * Values that the shells complete. Commander's own choices would also stand in the help, where long lists do not
 * help, and would replace the errors of the commands, which name what was probably meant.
 */
const completed = new WeakMap<Option | Argument, readonly string[]>();

export function valuesOf(of: Option | Argument): readonly string[] {
  return of.argChoices ?? completed.get(of) ?? [];
}

export function optionWithValues(
  flags: string,
  description: string,
  values: readonly string[],
): Option {
  const option = new Option(flags, description);
  completed.set(option, values);
  return option;
}

export function argumentWithValues(
  name: string,
  description: string,
  values: readonly string[],
): Argument {
  const argument = new Argument(name, description);
  completed.set(argument, values);
  return argument;
}
