import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scripts } from '../../src/cli/completion/scripts.js';
import { placesOf } from '../../src/cli/completion/words.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { runFake } from './fake.js';
import { commands, program } from './grammar.js';

const places = placesOf(program);

/** The completions of bash for words of a command line, the last of which is begun. */
function completions(...words: readonly string[]): string[] {
  const script = `${scripts['bash']?.(places)}
COMP_WORDS=(bulkhead ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_bulkhead; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

describe('bulkhead completion', () => {
  it('completes commands, subcommands and options in bash', () => {
    expect(completions('ke')).toEqual(['keys']);
    expect(completions('keys', 're')).toEqual(['require', 'revoke']);
    expect(completions('dev', './plugin', '--mo')).toEqual(['--mock']);
    expect(completions('nothing', 'ke')).toEqual(['keys']);
  });

  it('completes the values of options and arguments in bash', () => {
    expect(completions('init', '--format', '')).toEqual(['pandora', 'vellum', 'spindle', 'mcp']);
    expect(completions('check', '.', '--fail-on', 'w')).toEqual(['warning']);
    expect(completions('call', '.', '--packages', 's')).toEqual(['separate']);
    expect(completions('audit', '--type', 'capability-d')).toEqual(['capability-denied']);
    expect(completions('explain', 'NETWORK_D')).toEqual(['NETWORK_DENIED']);
    expect(completions('completion', 'f')).toEqual(['fish']);
    expect(completions('call', '.', 'run', '--allow', 'n')).toEqual(['network:']);
    expect(completions('call', '.', 'run', '--tolerance', '')).toContain('relaxed');
    expect(completions('doctor', '--require', 'own-')).toEqual(['own-filesystem', 'own-user']);
    // The shell completes a file.
    expect(completions('dev', '--mock', '')).toEqual(['']);
  });

  it('gives fish the values of an option', () => {
    expect(scripts['fish']?.(places)).toContain(
      `__bulkhead_at 'init'" -l 'format' -x -a 'pandora vellum spindle mcp'`,
    );
  });

  it.each(['zsh', 'fish'])('prints a script that %s can read, if it is installed', (shell) => {
    const file = join(makeDirectory(), 'script');
    writeFileSync(file, scripts[shell]?.(places) ?? '');
    const { error, status, stderr } = spawnSync(shell, ['-n', file], {
      encoding: 'utf8',
    });
    if (error !== undefined) return;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('has every command and option', async () => {
    const { stdout, code } = await runFake(['completion', 'fish']);
    expect(code).toBe(0);
    for (const { path, command } of commands) {
      for (const { long } of command.options) {
        expect(stdout.text).toContain(`__bulkhead_at '${path}'" -l '${long?.slice(2)}'`);
      }
    }
  });

  it('refuses other shells', async () => {
    const { stderr, code } = await runFake(['completion', 'tcsh']);
    expect(code).toBe(1);
    expect(stderr.text).toContain('There is no completion for tcsh. Name one of bash, zsh, fish.');
  });
});

describe('the help of every command', () => {
  const helpOf = (command: (typeof commands)[number]['command']): string => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    return help;
  };

  it.each(program.commands.filter(({ commands: inner }) => inner.length > 0))(
    'has examples for a group of commands: $_name',
    (group) => expect(helpOf(group)).toContain(`Examples:\n  bulkhead ${group.name()} `),
  );

  it.each(commands)('has examples whose options exist: $path', ({ path, command }) => {
    const [, examples = ''] = /^Examples:\n((?: {2}.+\n?)+)/m.exec(helpOf(command)) ?? [];
    const lines = examples.split('\n').filter((line) => line.includes('bulkhead '));
    expect(lines.some((line) => line.includes(`bulkhead ${path}`))).toBe(true);
    const known = command.options.flatMap(({ long, short }) => [long, short]);
    const used = lines
      .filter((line) => line.includes(`bulkhead ${path}`))
      .flatMap(
        (line) =>
          line
            .replaceAll(/'[^']*'|"[^"]*"/g, 'x')
            .replace(/ -- .*/, '')
            .match(/(?<= )--?[a-z][a-z-]*/g) ?? [],
      );
    expect(used.filter((option) => !known.includes(option))).toEqual([]);
  });
});
