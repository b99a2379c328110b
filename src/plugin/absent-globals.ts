const MIXED =
  'the file has import or export, so it is an ES module. Or rename it to .cjs and use only require';

/** Globals of browsers, Node and Bun that a plugin does not have, with what to use instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['WebSocket', 'use fetch with the permission "network"; streams of a response are supported'],
  ['EventSource', 'read the body of a fetch as a stream'],
  ['XMLHttpRequest', 'use fetch with the permission "network"'],
  ['WebAssembly', 'use a build of the library in plain JavaScript'],
  ['Worker', 'split long work over several calls'],
  ['SharedArrayBuffer', 'use an ArrayBuffer; a plugin has one thread'],
  ['Atomics', 'a plugin has one thread and needs no locks'],
  ['document', 'parse HTML with a library of plain JavaScript'],
  ['window', 'use globalThis'],
  ['self', 'use globalThis'],
  ['localStorage', 'store data with the permission "storage"'],
  ['sessionStorage', 'keep the value in a variable of the module'],
  ['indexedDB', 'store data with the permission "storage"'],
  ['alert', 'return the text as the result'],
  ['prompt', 'take the value as an input of the tool'],
  ['navigator', 'do not depend on the platform'],
  ['caches', 'store data with the permission "storage"'],
  ['Deno', 'use fetch, context.env and the modules of Node that the docs list'],
  ['module', `write export instead of module.exports: ${MIXED}`],
  ['exports', `write export instead of exports: ${MIXED}`],
]);

/** What to use instead of a global that plugins do not have; `undefined` if it is not known. */
export function insteadOf(name: string): string | undefined {
  return INSTEAD.get(name);
}

/** A read of a member of Intl, which is absent without the clock. */
const OF_INTL =
  /^Cannot read properties of undefined \(reading '(?:Collator|DateTimeFormat|DisplayNames|ListFormat|Locale|NumberFormat|PluralRules|RelativeTimeFormat|Segmenter)'\)$/;

/** The advice for the message of an error about an absent global, as sentences; empty without one. */
export function adviceFor(errorName: string, message: string): string {
  const ofCrypto = /^crypto\.([A-Za-z]{1,40}) is not a function$/.exec(message)?.[1];
  if (errorName === 'TypeError' && ofCrypto !== undefined) {
    return `. The global crypto is that of browsers. To fix this, import Node's: import { ${ofCrypto} } from 'node:crypto'.`;
  }
  if (errorName === 'TypeError' && OF_INTL.test(message)) {
    return '. If this is a member of Intl: plugins have Intl with the permission "time". To fix this, declare and grant "time".';
  }
  if (errorName !== 'ReferenceError') return '';
  const name = /^([A-Za-z]{1,40}) is not defined$/.exec(message)?.[1];
  const instead = name === undefined ? undefined : insteadOf(name);
  return instead === undefined ? '' : `. Plugins have no ${name}. To fix this, ${instead}.`;
}
