import { createRequire } from 'node:module';
import { afterEachFile } from '../../../tidying.js';
import { WireError } from '../../../../sandbox/wire/failure.js';
import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import type { GuestGrant } from '../../../../sandbox/wire/methods.js';
import { isRecord } from '../../../../sandbox/wire/json.js';
import { type Guest, startGuest } from '../../../../src/guests/guest.js';
import { GUEST_LIMITS } from '../../../../src/engine/types/limits.js';
import { BulkheadError } from '../../../../src/errors.js';

export interface HostSpec {
  readonly permissions?: readonly string[];
  readonly config?: JsonObject;
  /** What this host provides, by name. Everything else is unavailable, as with a bare host. */
  readonly provides?: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  /** What it provides and never answers, until the extension gives it up. */
  readonly neverAnswers?: string;
}

/** A Spindle extension in a guest, and a host of its own that does as the test says. */
export interface Extension {
  /** What was asked of the host, as `[name, args]`. */
  readonly asked: readonly (readonly [name: string, args: readonly unknown[]])[];
  readonly lines: readonly string[];
  /** How often it said that it offers something else. */
  contributionChanges: number;
  event(name: string, payload?: Json, userId?: string): Promise<Json>;
  call(tool: string, input?: JsonObject, context?: JsonObject): Promise<Json>;
  describe(): Promise<JsonObject>;
  grant(permissions: readonly string[]): Promise<void>;
}

const require = createRequire(import.meta.url);
const guests: Guest[] = [];
afterEachFile(() => {
  for (const guest of guests.splice(0)) guest.kill({ cause: 'closed', detail: 'the test is over' });
});

/** Loads a source into a guest of its own. Rejects where the source throws. */
export async function startExtension(source: string, spec: HostSpec = {}): Promise<Extension> {
  const script = require.resolve('#sandbox/guest.cjs');
  const guest = startGuest({ file: process.execPath, args: [script], env: { TZ: 'UTC' } }, 20_000);
  guests.push(guest);
  await guest.ready;
  const asked: (readonly [string, readonly unknown[]])[] = [];
  const lines: string[] = [];
  const extension: Extension = {
    asked,
    lines,
    contributionChanges: 0,
    event: (name, payload = null, userId) =>
      guest.peer.ask('event', { name, payload, ...(userId === undefined ? {} : { userId }) })
        .answer,
    call: (tool, input = {}, context) =>
      guest.peer.ask('call', { tool, input, context: context ?? null }).answer,
    describe: async () => {
      const answer = await guest.peer.ask('describe', null).answer;
      return isRecord(answer) ? answer : {};
    },
    grant: async (permissions) => {
      await guest.peer.ask('permissions', { grant: grantOf(permissions) }).answer;
    },
  };
  guest.serve({
    notice: (method, params) => {
      if (method === 'log' && isRecord(params)) lines.push(String(params['text']));
      if (method === 'fault') lines.push(`fault: ${JSON.stringify(params)}`);
      if (method === 'contributions-changed') extension.contributionChanges += 1;
    },
    request: async (method, params, request) => {
      if (method !== 'power' || !isRecord(params)) throw unavailable(method);
      const name = String(params['name']);
      const given: unknown = isRecord(params['arguments']) ? params['arguments']['args'] : [];
      const args: readonly unknown[] = Array.isArray(given) ? given : [];
      asked.push([name, args]);
      if (name === spec.neverAnswers) {
        return new Promise((_, reject) => {
          request.onCancel(() => reject(new Error('AbortError: cancelled')));
        });
      }
      const provided = spec.provides?.[name];
      if (provided === undefined) throw unavailable(name);
      return { value: await provided(...args) };
    },
  });
  await guest.peer.ask('load', {
    plugin: { id: 'sample', manifest: 'spindle.json' },
    grant: grantOf(spec.permissions ?? ['tools']),
    limits: { ...GUEST_LIMITS, maxResultBytes: 1024 * 1024 },
    dialect: 'spindle',
    code: `(async function ($bulkhead) { 'use strict'; ${source}\n})`,
    sourceUrl: 'sample/tools.js',
    assignedGlobals: [],
    config: spec.config ?? {},
    hostPowers: [...Object.keys(spec.provides ?? {}), ...(spec.neverAnswers ?? '').split(' ')],
    pluginInfo: {
      manifest: { identifier: 'sample', version: '1.0.0' },
      installationId: '00000000-0000-8000-a000-000000000000',
    },
  }).answer;
  return extension;
}

function grantOf(permissions: readonly string[]): GuestGrant {
  return {
    time: true,
    random: true,
    network: false,
    fs: undefined,
    storage: false,
    powers: permissions,
    env: undefined,
  };
}

function unavailable(name: string): BulkheadError {
  return new BulkheadError('POWER_UNAVAILABLE', `${name} is not there`, { power: name });
}

/** The words of a rejection. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof WireError ? error.message : String(error)),
  );
}

/** A tool, `run`, that answers the JSON of an expression, or what it throws as `name: message`. */
export function running(expression: string): string {
  return `spindle.on('TOOL_INVOCATION', async ({ args }) => {
    try { return JSON.stringify(await (${expression})) ?? 'undefined'; }
    catch (error) { return error.name + ': ' + error.message; }
  });`;
}
