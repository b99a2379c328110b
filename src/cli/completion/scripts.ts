import type { Place } from './words.js';

/** The script that completes the command line, by shell. */
export const scripts: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: (places) => `# bulkhead completion bash
_bulkhead() {
  local path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${alternatives(places)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${places.map(({ path, words }) => `    '${path}') words='${words.map(({ text }) => text).join(' ')}' ;;`).join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(places, (values) => `words='${values.join(' ')}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  # More follows a word that ends in a colon.
  if [[ \${COMPREPLY[0]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _bulkhead bulkhead
`,
  zsh: (places) => `#compdef bulkhead
# bulkhead completion zsh
_bulkhead() {
  local place='' word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
${alternatives(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${places
  .map(
    ({ path, words }) =>
      `    '${path}') choices=(${words.map(({ text, does }) => `'${text.replaceAll(':', '\\:')}:${does}'`).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  case "$place \${words[CURRENT-1]}" in
${valueCases(places, (values) => `choices=(${values.map((value) => `'${value.replaceAll(':', '\\:')}'`).join(' ')})`)}
  esac
  _describe 'bulkhead' choices
  _files
}
if [ "$funcstack[1]" = "_bulkhead" ]; then _bulkhead "$@"; else compdef _bulkhead bulkhead; fi
`,
  fish: (places) => `# bulkhead completion fish
function __bulkhead_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$place $word")
    switch "$next"
      case ${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => `'${path}'`)
        .join(' ')}
        set place "$next"
    end
  end
  test "$place" = "$argv[1]"
end
${places.flatMap(fishLines).join('\n')}
`,
};

/** Patterns of \`case\` for every path. */
function alternatives(places: readonly Place[]): string {
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  return `      ${paths.join('|')}`;
}

/**
 * Branches of `case` for the path and the word before. After an option that takes a value, only its values
 * complete; without known values the shell completes files.
 */
function valueCases(
  places: readonly Place[],
  choose: (values: readonly string[]) => string,
): string {
  return places
    .flatMap(({ path, words }) =>
      words
        .filter(({ takesValue }) => takesValue)
        .map(({ text, values }) => `    '${path} ${text}') ${choose(values)} ;;`),
    )
    .join('\n');
}

function fishLines({ path, words }: Place): readonly string[] {
  return words.map(({ text, does, takesValue, values }) => {
    const at = `complete -c bulkhead -n "__bulkhead_at '${path}'"`;
    if (!text.startsWith('--')) return `${at} -f -a '${text}' -d '${does}'`;
    const value = values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
    return `${at} -l '${text.slice(2)}'${takesValue ? value : ''} -d '${does}'`;
  });
}
