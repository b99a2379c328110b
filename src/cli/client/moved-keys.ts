import { keyShapesIn } from '../../plugin/artifact/key-shapes.js';

/** Arguments without the keys that were in them. */
export interface MovedKeys {
  /** The arguments, with `{{NAME}}` in the place of each key. */
  readonly args: readonly string[];
  /** The keys, by the variables that replace them. */
  readonly variables: Readonly<Record<string, string>>;
}

/** `--api-key`, `--token=…` */
const KEY_OPTION = /^--?[\w.-]*(?:key|token|secret|passw(?:or)?d|credential|auth)[\w.-]*$/i;

/** Whether a variable of this name has a key. */
export function isKeyName(name: string): boolean {
  return /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_|$)/i.test(name);
}

/**
 * Moves the keys among a program's arguments into variables: other processes of the machine can read
 * arguments, and a variable can be hidden from the program. `taken`: names that are in use.
 */
export function moveKeys(args: readonly string[], taken: ReadonlySet<string>): MovedKeys {
  const variables: Record<string, string> = {};
  const move = (key: string): string => {
    let number = 1;
    while (taken.has(nameOf(number)) || nameOf(number) in variables) number += 1;
    variables[nameOf(number)] = key;
    return `{{${nameOf(number)}}}`;
  };
  const left = args.map((arg, index) => {
    const [, option, value] = /^(--?[\w.-]+)=(.+)$/s.exec(arg) ?? [];
    // guard: client-keys-leave-arguments
    if (option !== undefined && value !== undefined && KEY_OPTION.test(option)) {
      return `${option}=${move(value)}`;
    }
    const before = args[index - 1] ?? '';
    const isValue = KEY_OPTION.test(before) && !arg.startsWith('-');
    return isValue || keyShapesIn(arg).length > 0 ? move(arg) : arg;
  });
  return { args: left, variables };
}

/** The arguments with the keys in their places again. */
export function putBackKeys(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  return args.map((arg) =>
    arg.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
    ),
  );
}

function nameOf(number: number): string {
  return `BULKHEAD_ARGUMENT_${number}`;
}
