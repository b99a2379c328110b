import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The files that the loader adds to a program: its libraries and the loader itself. */
export async function findLibraries(program: string): Promise<string[]> {
  // The loader of glibc prints them. That of musl starts the program, which prints its version.
  const listed = await outputOf(program, ['--version'], { LD_TRACE_LOADED_OBJECTS: '1' });
  const paths = [...listed.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].flatMap(
    ([, path]) => path ?? [],
  );
  return paths.length > 0 || program !== process.execPath ? paths : mappedLibraries();
}

/** The libraries of this process, which runs the same node. */
function mappedLibraries(): string[] {
  try {
    const maps = readFileSync('/proc/self/maps', 'utf8');
    return [
      ...new Set(
        [...maps.matchAll(/ (\/\S+\.so(?:\.[\d.]+)?)$/gm)].flatMap(([, path]) => path ?? []),
      ),
    ];
  } catch {
    return [];
  }
}

/** What a program prints; empty if it fails. */
export function outputOf(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      { env, timeout: INSPECT_MS, killSignal: 'SIGKILL' },
      (error, stdout) => resolve(error === null ? stdout : ''),
    );
  });
}

const INSPECT_MS = 5_000;
