import { isRecord } from '../../../sandbox/wire/json.js';
import type { Peer } from '../../../sandbox/wire/peer.js';

const open = new WeakMap<Peer, Map<object, string>>();

/** Remembers a request of a guest until its answer settles. */
export function whileOpen(
  {
    peer,
    method,
    params,
  }: { readonly peer: Peer; readonly method: string; readonly params: unknown },
  answer: unknown,
): unknown {
  if (!(answer instanceof Promise)) return answer;
  const key = {};
  const requests = open.get(peer) ?? new Map<object, string>();
  open.set(peer, requests);
  requests.set(key, describe(method, params));
  const forget = (): void => void requests.delete(key);
  answer.then(forget, forget);
  return answer;
}

/** What a guest waits for, for a person; at most three texts, without what a query may hold. */
export function openRequestsOf(peer: Peer): readonly string[] {
  return [...(open.get(peer)?.values() ?? [])].slice(0, 3);
}

const MAX_TEXT = 120;

function describe(method: string, params: unknown): string {
  const fields = isRecord(params) ? params : {};
  const text =
    method === 'fetch'
      ? `${textOf(fields['method'])} ${placeOf(fields['url'])}`
      : textOf(fields['name']);
  return `${method.slice(0, 20)} ${text}`.trim().slice(0, MAX_TEXT);
}

function placeOf(url: unknown): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && /^[\w.:-]{1,80}$/.test(value) ? value : '';
}
