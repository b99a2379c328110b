import type { Guard } from './guard.js';

const CONTAINMENT = ['test/plugin/bundle/containment.test.ts'];
const SCHEMA = ['test/schema/check.test.ts'];

/** What a plugin's directory and a plugin's schemas may make the host do. */
export const loadGuards: readonly Guard[] = [
  {
    stops: 'an import that climbs out of the plugin',
    file: 'src/plugin/bundle/files.ts',
    code: "if (here.path === '') throw outside(path);",
    without: "if (here.path === '') continue;",
    tests: CONTAINMENT,
  },
  {
    stops: 'an import of a pipe, a device or a file that was swapped',
    file: 'src/plugin/bundle/files.ts',
    code: 'if (!opened.isFile() || !isStillThere(descriptor, opened, absolute)) throw outside(path);',
    without: '',
    tests: CONTAINMENT,
  },
  {
    stops: 'a source that is larger than the cap',
    file: 'src/plugin/bundle/files.ts',
    code: 'readRegularFile(join(root, path), path, limits.maxFileBytes);',
    without: 'readRegularFile(join(root, path), path, Infinity);',
    tests: ['test/plugin/bundle'],
  },
  {
    stops: 'a tree of more files than the cap',
    file: 'src/plugin/bundle/files.ts',
    code: "if (files.size >= limits.maxFiles) throw capReached('files', limits.maxFiles);",
    without: '',
    tests: ['test/plugin/bundle'],
  },
  {
    stops: 'a comment that makes the bundler read a source map elsewhere',
    file: 'src/plugin/bundle/source/neutralise.ts',
    code: 'comments.filter(namesSourceMap)',
    without: 'comments.filter(() => false)',
    tests: ['test/plugin/bundle'],
  },
  {
    stops: 'a require by another name that makes the bundler look round the disk',
    file: 'src/plugin/bundle/source/neutralise.ts',
    code: 'if (!operandsOf(callee.object).some(isModule)) return false;',
    without: 'return false;',
    tests: ['test/plugin/bundle/containment.test.ts'],
  },
  {
    stops: 'a spelling of module.require that no search in the text finds',
    file: 'src/plugin/bundle/source/scan.ts',
    code: 'everyMatch(text, MODULE_WORD, PLAIN_MODULE)',
    without: 'true',
    tests: ['test/plugin/bundle/containment.test.ts'],
  },
  {
    stops: 'a package whose exports lead out of it',
    file: 'src/plugin/bundle/resolve/resolver.ts',
    code: ".some((part) => part === '..' || part === '.' || part === 'node_modules')",
    without: '.some(() => false)',
    tests: ['test/plugin/bundle'],
  },
  {
    stops: 'keywords that make of a schema more than a description',
    file: 'src/schema/check.ts',
    code: "if (keyword === '$async' || keyword === '$data') {",
    without: 'if (false) {',
    tests: SCHEMA,
  },
  {
    stops: 'a schema that refers to what lies outside of it',
    file: 'src/schema/references.ts',
    code: 'if (resource === undefined) {',
    without: 'if (resource === undefined) { return []; } if (resource === undefined) {',
    tests: SCHEMA,
  },
  {
    stops: 'a schema that refers to itself without end',
    file: 'src/schema/check.ts',
    code: "if (loop !== undefined) throw refuse(loop, 'refers to itself without end');",
    without: '',
    tests: SCHEMA,
  },
  {
    stops: 'a schema that is nested deeper than its walkers can follow',
    file: 'src/schema/copy.ts',
    code: 'if (depth >= limits.maxDepth) throw refuse(place, `lies deeper than ${limits.maxDepth} levels`);',
    without: '',
    tests: SCHEMA,
  },
  {
    stops: 'a schema that is longer than the cap',
    file: 'src/schema/copy.ts',
    code: 'if (characters > limits.maxCharacters) {',
    without: 'if (false) {',
    tests: SCHEMA,
  },
  {
    stops: 'a schema that sets a prototype where it becomes code',
    file: 'src/schema/copy.ts',
    code: "if (key !== '__proto__') entries.push([key, copy(item, `${place}/${key}`, depth + 1)]);",
    without: 'entries.push([key, copy(item, `${place}/${key}`, depth + 1)]);',
    tests: SCHEMA,
  },
  {
    stops: 'a pattern that hides its exponential part in its length',
    file: 'src/schema/check.ts',
    code: 'if (pattern.length > limits.maxPatternCharacters) {',
    without: 'if (false) {',
    tests: SCHEMA,
  },
];
