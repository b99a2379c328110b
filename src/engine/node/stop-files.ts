import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { replaceFileSync, syncDirectorySync } from '../../replace-file.js';
import { number, object, optional, readShape, string } from '../../schema/shape.js';
import type { StopFiles } from '../../stops/gate.js';
import type { Stop, StopTarget } from '../../stops/stop.js';

/** Stands for a directory that cannot be read. */
const UNREADABLE = 'unreadable';

/** Opens `.stops` of the storage directory. It is created with the first stop. */
export function openStopFiles(storageDirectory: string): StopFiles {
  const directory = join(storageDirectory, '.stops');
  return {
    names: () => {
      try {
        return readdirSync(directory).filter((name) => FILE.test(name));
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return [];
        // A stop may be in there.
        // guard: unreadable-stops-stop
        return [UNREADABLE];
      }
    },
    read: (name) => {
      try {
        const data: unknown = JSON.parse(readFileSync(join(directory, name), 'utf8'));
        const stop = parseStop(data);
        if (stop !== undefined && nameOf(stop.target) === name) return stop;
        return everything(`${name} in ${directory} is not a stop that this version can read`);
      } catch (error) {
        return everything(`${name} in ${directory} cannot be read (${messageOf(error)})`);
      }
    },
    write: (stop) =>
      replaceFileSync(join(directory, nameOf(stop.target)), JSON.stringify(stop), {
        mode: 0o600,
        directoryMode: 0o700,
        durable: true,
      }),
    remove: (target) => {
      try {
        rmSync(join(directory, nameOf(target)));
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return false;
        throw error;
      }
      syncDirectorySync(directory);
      return true;
    },
    nameOf,
  };
}

const FILE = /^(?:everything|(?:plugin|tenant)-[0-9a-f]{64})\.json$/;

function nameOf(target: StopTarget): string {
  if ('everything' in target) return 'everything.json';
  const [kind, id] = 'plugin' in target ? ['plugin', target.plugin] : ['tenant', target.tenant];
  return `${kind}-${createHash('sha256').update(id).digest('hex')}.json`;
}

const stopShape = object({
  target: object({
    everything: optional({ read: (value) => (value === true ? { value } : undefined) }),
    plugin: optional(string()),
    tenant: optional(string()),
  }),
  by: string(),
  reason: optional(string()),
  atMs: number,
});

function parseStop(data: unknown): Stop | undefined {
  const read = readShape(stopShape, data, 'stop');
  if (!read.ok) return undefined;
  const { target, ...stop } = read.value;
  const { plugin, tenant } = target;
  if (plugin !== undefined) return { ...stop, target: { plugin } };
  if (tenant !== undefined) return { ...stop, target: { tenant } };
  return target.everything === undefined ? undefined : { ...stop, target: { everything: true } };
}

/** It is not known what was stopped. */
function everything(reason: string): Stop {
  return { target: { everything: true }, by: 'Bulkhead', reason, atMs: 0 };
}
