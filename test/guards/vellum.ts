import type { Guard } from './guard.js';

const TOOLS = ['test/conformance/vellum/tools.test.ts'];
const RESULTS = ['test/conformance/vellum/results.test.ts', 'test/fuzz/vellum.test.ts'];
const LENT = ['test/escape/host-module.test.ts'];

/** What a plugin of Vellum's may claim, and what it is lent. */
export const vellumGuards: readonly Guard[] = [
  {
    stops: 'a Vellum tool that runs on the host because it says so',
    file: 'src/formats/vellum/tool.ts',
    code: "if (executionTarget === 'host' && source.hostMode !== true) throw hostDenied(plugin.id, toolId);",
    without: '',
    tests: ['test/engine/plugins/resolution.test.ts'],
  },
  {
    stops: 'a Vellum tool whose made-up risk level no rule applies to',
    file: 'src/formats/vellum/tool.ts',
    code: "  return 'high';",
    without: "  return 'low';",
    tests: TOOLS,
  },
  {
    stops: 'a Vellum result that acts for the model',
    file: 'src/formats/vellum/answer.ts',
    code: "if (type !== 'image' && type !== 'file') return [];",
    without: '',
    tests: RESULTS,
  },
  {
    stops: 'a Vellum package that is a link to a file of the host’s',
    file: 'src/formats/own-file.ts',
    code: 'if (isInside(root, file)) return power.readFile(file, maxBytes);',
    without: 'return power.readFile(file, maxBytes);',
    tests: ['test/formats/vellum/read.test.ts'],
  },
  {
    stops: 'a link that is taken for the file in whose place it is',
    file: 'src/engine/powers/disk-reader.ts',
    code: 'found?.isSymbolicLink() === true ? realpathSync.native(path) : found && path;',
    without: 'found && path;',
    tests: ['test/engine/powers'],
  },
  {
    stops: 'a link among Vellum’s plugins that makes one of any directory',
    file: 'src/formats/discover.ts',
    code: 'if (realParent === undefined || isInside(realParent, real)) return;',
    without: 'return;',
    tests: ['test/formats/vellum/links.test.ts'],
  },
  {
    stops: 'a class of errors that leads plugins to the start realm’s own',
    file: 'sandbox/dialects/vellum/api-errors.ts',
    code: 'Object.setPrototypeOf(Named, Object.getPrototypeOf(TypeError));',
    without: 'Object.setPrototypeOf(Named, Error);',
    tests: LENT,
  },
  {
    stops: 'a module of the host’s that one file of a plugin changes for the others',
    file: 'sandbox/linkage.ts',
    code: 'return harden({ modules, importRefused });',
    without: 'return { modules, importRefused };',
    tests: LENT,
  },
  {
    stops: 'output of a call without end',
    file: 'src/engine/call/outputs.ts',
    code: 'const heard = text.slice(0, output.left);',
    without: 'const heard = text;',
    tests: ['test/engine/call/outputs.test.ts'],
  },
  {
    stops: 'an installed plugin that takes the name of a tool of the host’s',
    file: 'src/catalog/precedence.ts',
    code: 'if (incoming.bare !== true || !holders.has(tool)) return [];',
    without: 'return [];',
    tests: ['test/catalog/precedence.test.ts'],
  },
  {
    stops: 'a tool that is shown under a name like another plugin’s',
    file: 'src/catalog/names.ts',
    code: "return tool.includes('__') && !isHosts(named) ? [] : [tool];",
    without: 'return [tool];',
    tests: ['test/engine/plugins/resolution.test.ts'],
  },
];
