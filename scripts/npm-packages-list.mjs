// What each package is used for: a module whose `run` gives `true` where the package did its work.
// Each plugin has the permission `time`, and those of `grants`. `answer`: the JSON that its hosts answer.
// `system`: Vellum's plugins may have cryptographic randomness, with "random"; Pandora's, the default, never.
const random = { random: true };

export const packages = [
  {
    name: 'lodash',
    use: `import _ from 'lodash'; export const run = () => _.isEqual(_.groupBy([1.2, 1.8, 2.1], Math.floor), { 1: [1.2, 1.8], 2: [2.1] }) && _.template('hi <%= x %>')({ x: 1 }) === 'hi 1' && _.template('hi <%= it.x %>', { variable: 'it' })({ x: 1 }) === 'hi 1' && _.debounce(() => 0, 5) instanceof Function;`,
  },
  {
    name: 'lodash-es',
    use: `import { chunk, cloneDeep } from 'lodash-es'; export const run = () => chunk([1, 2, 3], 2).length === 2 && cloneDeep({ a: new Map([[1, 2]]) }).a.get(1) === 2;`,
  },
  {
    name: 'underscore',
    use: `import _ from 'underscore'; export const run = () => _.uniq([1, 1, 2]).length === 2 && _([3, 1]).chain().sortBy().first().value() === 1;`,
  },
  {
    name: 'ramda',
    use: `import * as R from 'ramda'; export const run = () => R.pipe(R.map((x) => x * 2), R.sum)([1, 2, 3]) === 12;`,
  },
  {
    name: 'date-fns',
    use: `import { addDays, format, parseISO } from 'date-fns'; export const run = () => format(addDays(parseISO('2024-02-28'), 2), 'yyyy-MM-dd') === '2024-03-01';`,
  },
  {
    name: 'dayjs',
    use: `import dayjs from 'dayjs'; import utc from 'dayjs/plugin/utc'; dayjs.extend(utc); export const run = () => dayjs.utc('2024-01-31').add(1, 'month').format('YYYY-MM-DD') === '2024-02-29';`,
  },
  {
    name: 'moment',
    use: `import moment from 'moment'; export const run = () => moment.utc('2024-01-31').add(1, 'month').format('YYYY-MM-DD') === '2024-02-29' && moment.duration(5, 'minutes').humanize() === '5 minutes';`,
  },
  {
    name: 'luxon',
    use: `import { DateTime } from 'luxon'; export const run = () => DateTime.fromISO('2024-05-05T10:00:00Z', { zone: 'utc' }).plus({ hours: 20 }).toISODate() === '2024-05-06';`,
  },
  {
    name: 'uuid',
    use: `import { validate, v5, parse } from 'uuid'; export const run = () => validate(v5('hello', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')) && parse('6ba7b810-9dad-11d1-80b4-00c04fd430c8').length === 16;`,
  },
  {
    name: 'nanoid',
    grants: random,
    use: `import { nanoid } from 'nanoid/non-secure'; import { customAlphabet } from 'nanoid'; export const run = () => nanoid(12).length === 12 && typeof customAlphabet === 'function';`,
  },
  {
    name: 'zod',
    use: `import { z } from 'zod'; export const run = () => z.object({ a: z.string().email(), n: z.coerce.number() }).parse({ a: 'a@b.co', n: '3' }).n === 3 && !z.string().safeParse(1).success;`,
  },
  {
    name: 'yup',
    use: `import * as yup from 'yup'; export const run = async () => (await yup.object({ a: yup.number().required() }).validate({ a: '3' })).a === 3;`,
  },
  {
    name: 'joi',
    use: `import Joi from 'joi'; export const run = () => Joi.object({ a: Joi.number().min(2) }).validate({ a: 1 }).error !== undefined && Joi.string().email({ tlds: false }).validate('a@b.co').error === undefined;`,
  },
  {
    name: 'ajv',
    use: `import Ajv from 'ajv'; export const run = () => { const check = new Ajv().compile({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }); return check({ a: 1 }) && !check({ a: 'x' }); };`,
  },
  {
    name: 'valibot',
    use: `import * as v from 'valibot'; export const run = () => v.parse(v.object({ a: v.pipe(v.string(), v.minLength(2)) }), { a: 'xy' }).a === 'xy';`,
  },
  {
    name: 'superstruct',
    use: `import { assert, object, string, is } from 'superstruct'; export const run = () => { assert({ a: 'x' }, object({ a: string() })); return !is({ a: 1 }, object({ a: string() })); };`,
  },
  {
    name: 'immer',
    use: `import { produce, enableMapSet } from 'immer'; enableMapSet(); export const run = () => { const a = { x: [1], m: new Map([[1, 1]]) }; const b = produce(a, (d) => { d.x.push(2); d.m.set(2, 2); }); return a.x.length === 1 && b.x.length === 2 && b.m.size === 2; };`,
  },
  {
    name: 'immutable',
    use: `import { Map, List, fromJS } from 'immutable'; export const run = () => Map({ a: 1 }).set('b', 2).size === 2 && List([3, 1]).sort().first() === 1 && fromJS({ a: [1] }).getIn(['a', 0]) === 1;`,
  },
  {
    name: 'rxjs',
    use: `import { from, map, filter, toArray, lastValueFrom, interval, take } from 'rxjs'; export const run = async () => (await lastValueFrom(from([1, 2, 3]).pipe(filter((x) => x > 1), map((x) => x * 2), toArray()))).join() === '4,6' && (await lastValueFrom(interval(1).pipe(take(2)))) === 1;`,
  },
  {
    name: 'async',
    use: `import async from 'async'; export const run = async () => (await async.mapLimit([1, 2, 3], 2, async (x) => x * 2)).join() === '2,4,6';`,
  },
  {
    name: 'bluebird',
    use: `import Bluebird from 'bluebird'; export const run = async () => (await Bluebird.map([1, 2], (x) => x + 1, { concurrency: 1 })).join() === '2,3' && (await Bluebird.delay(1).return(5)) === 5;`,
  },
  {
    name: 'p-limit',
    use: `import pLimit from 'p-limit'; export const run = async () => (await Promise.all([1, 2].map((x) => pLimit(1)(async () => x * 2)))).join() === '2,4';`,
  },
  {
    name: 'p-queue',
    use: `import PQueue from 'p-queue'; export const run = async () => { const q = new PQueue({ concurrency: 1 }); return (await q.addAll([async () => 1, async () => 2])).join() === '1,2'; };`,
  },
  {
    name: 'p-map',
    use: `import pMap from 'p-map'; export const run = async () => (await pMap([1, 2, 3], async (x) => x + 1, { concurrency: 2 })).join() === '2,3,4';`,
  },
  {
    name: 'p-retry',
    use: `import pRetry from 'p-retry'; export const run = async () => { let n = 0; return (await pRetry(async () => { n += 1; if (n < 2) throw new Error('again'); return n; }, { minTimeout: 1, randomize: false })) === 2; };`,
  },
  {
    name: 'qs',
    use: `import qs from 'qs'; export const run = () => qs.parse('a[b]=1&c[]=2').a.b === '1' && qs.stringify({ a: [1, 2] }, { arrayFormat: 'repeat' }) === 'a=1&a=2';`,
  },
  {
    name: 'query-string',
    use: `import queryString from 'query-string'; export const run = () => queryString.stringify({ b: 1, a: [1, 2] }) === 'a=1&a=2&b=1' && queryString.parse('?x=1').x === '1';`,
  },
  {
    name: 'mime-types',
    use: `import mime from 'mime-types'; export const run = () => mime.lookup('a.json') === 'application/json' && mime.extension('text/html') === 'html';`,
  },
  {
    name: 'mime',
    use: `import mime from 'mime'; export const run = () => mime.getType('x.png') === 'image/png';`,
  },
  {
    name: 'ms',
    use: `import ms from 'ms'; export const run = () => ms('2 days') === 172800000 && ms(60000) === '1m';`,
  },
  {
    name: 'semver',
    use: `import semver from 'semver'; export const run = () => semver.satisfies('1.2.3', '^1.0.0') && semver.inc('1.2.3', 'minor') === '1.3.0';`,
  },
  {
    name: 'chalk',
    use: `import chalk, { Chalk } from 'chalk'; export const run = () => new Chalk({ level: 1 }).red('x') === '\\u001b[31mx\\u001b[39m' && chalk.bold('y').includes('y');`,
  },
  {
    name: 'marked',
    use: `import { marked } from 'marked'; export const run = () => marked.parse('# Hi\\n\\n<!-- note -->\\n*x*').includes('<em>x</em>');`,
  },
  {
    name: 'markdown-it',
    use: `import MarkdownIt from 'markdown-it'; export const run = () => new MarkdownIt({ linkify: true, html: true }).render('**x** <!-- c --> http://a.co').includes('<strong>x</strong>');`,
  },
  {
    name: 'turndown',
    use: `import TurndownService from 'turndown'; export const run = () => new TurndownService().turndown('<h1>Hi</h1>').startsWith('Hi');`,
  },
  {
    name: 'cheerio',
    use: `import * as cheerio from 'cheerio'; export const run = () => { const $ = cheerio.load('<ul><li class=a>1<li>2</ul><!-- c -->'); return $('li.a').text() === '1' && $('li').length === 2; };`,
  },
  {
    name: 'htmlparser2',
    use: `import { parseDocument, DomUtils } from 'htmlparser2'; export const run = () => DomUtils.textContent(parseDocument('<p>a<b>c</b><!-- x --></p>')) === 'ac';`,
  },
  {
    name: 'node-html-parser',
    use: `import { parse } from 'node-html-parser'; export const run = () => parse('<ul><li>1</li></ul>').querySelector('li').text === '1';`,
  },
  {
    name: 'fast-xml-parser',
    use: `import { XMLParser, XMLBuilder } from 'fast-xml-parser'; export const run = () => new XMLParser().parse('<a><b>1</b><!-- c --></a>').a.b === 1 && new XMLBuilder().build({ a: 1 }) === '<a>1</a>';`,
  },
  {
    name: 'xml2js',
    use: `import xml2js from 'xml2js'; export const run = async () => (await xml2js.parseStringPromise('<a><b>1</b></a>')).a.b[0] === '1' && new xml2js.Builder().buildObject({ a: 1 }).includes('<a>1</a>');`,
  },
  {
    name: 'xml-js',
    use: `import { xml2js } from 'xml-js'; export const run = () => xml2js('<a>1</a>', { compact: true }).a._text === '1';`,
  },
  {
    name: 'js-yaml',
    use: `import * as yaml from 'js-yaml'; export const run = () => yaml.load('a: [1, 2]\\nb: 2024-01-01').a[1] === 2 && yaml.dump({ a: 1 }) === 'a: 1\\n';`,
  },
  {
    name: 'yaml',
    use: `import { parse, stringify } from 'yaml'; export const run = () => parse('a: {b: 1}').a.b === 1 && stringify({ a: 1 }) === 'a: 1\\n';`,
  },
  {
    name: 'toml',
    use: `import toml from 'toml'; export const run = () => toml.parse('[a]\\nb = 1').a.b === 1;`,
  },
  {
    name: 'smol-toml',
    use: `import { parse } from 'smol-toml'; export const run = () => parse('[a]\\nb = 1').a.b === 1;`,
  },
  {
    name: 'ini',
    use: `import ini from 'ini'; export const run = () => ini.parse('[a]\\nb=1').a.b === '1' && ini.stringify({ a: 1 }).includes('a=1');`,
  },
  {
    name: 'papaparse',
    use: `import Papa from 'papaparse'; export const run = () => Papa.parse('a,b\\n1,2', { header: true }).data[0].b === '2' && Papa.unparse([{ a: 1 }]).includes('a');`,
  },
  {
    name: 'csv-parse',
    use: `import { parse as parseAsync } from 'csv-parse'; import { parse } from 'csv-parse/sync'; export const run = async () => parse('a,b\\n1,2', { columns: true })[0].b === '2' && (await new Promise((ok, no) => parseAsync('a;b', { delimiter: ';' }, (e, r) => e ? no(e) : ok(r))))[0][1] === 'b';`,
  },
  {
    name: 'csv-stringify',
    use: `import { stringify as later } from 'csv-stringify'; import { stringify } from 'csv-stringify/sync'; export const run = async () => stringify([[1, 'a,b']]) === '1,"a,b"\\n' && (await new Promise((ok, no) => later([[1, 2]], (e, r) => e ? no(e) : ok(r)))) === '1,2\\n';`,
  },
  {
    name: 'handlebars',
    use: `import Handlebars from 'handlebars'; export const run = () => Handlebars.compile('{{#each xs}}{{this}},{{/each}}{{! c }}')({ xs: [1, 2] }) === '1,2,';`,
  },
  {
    name: 'mustache',
    use: `import Mustache from 'mustache'; export const run = () => Mustache.render('{{#a}}{{b}}{{/a}}', { a: { b: 1 } }) === '1';`,
  },
  {
    name: 'ejs',
    use: `import ejs from 'ejs'; export const run = () => ejs.render('<% for (const x of xs) { %><%= x %><% } %>', { xs: [1, 2] }) === '12' && ejs.render('<%= xs %>', { xs: 3 }, { _with: false, destructuredLocals: ['xs'] }) === '3';`,
  },
  {
    name: 'nunjucks',
    use: `import nunjucks from 'nunjucks'; export const run = () => new nunjucks.Environment(null).renderString('{% for x in xs %}{{ x }}{% endfor %}', { xs: [1, 2] }) === '12';`,
  },
  {
    name: 'eta',
    use: `import { Eta } from 'eta'; export const run = () => new Eta().renderString('hi <%= it.x %>', { x: 1 }) === 'hi 1';`,
  },
  {
    name: 'liquidjs',
    use: `import { Liquid } from 'liquidjs'; export const run = async () => (await new Liquid().parseAndRender('{{ x | upcase }}', { x: 'a' })) === 'A';`,
  },
  {
    name: 'validator',
    use: `import validator from 'validator'; export const run = () => validator.isEmail('a@b.co') && validator.escape('<') === '&lt;' && validator.isIP('::1');`,
  },
  {
    name: 'slugify',
    use: `import slugify from 'slugify'; export const run = () => slugify('Ärger & Spaß', { lower: true }) === 'aerger-and-spass' || slugify('A b', { lower: true }) === 'a-b';`,
  },
  {
    name: 'change-case',
    use: `import { camelCase, snakeCase } from 'change-case'; export const run = () => camelCase('a-b c') === 'aBC' && snakeCase('aB') === 'a_b';`,
  },
  {
    name: 'he',
    use: `import he from 'he'; export const run = () => he.decode('&eacute;&lt;') === 'é<' && he.encode('é') === '&#xE9;';`,
  },
  {
    name: 'entities',
    use: `import { decodeHTML, encodeXML } from 'entities'; export const run = () => decodeHTML('&eacute;') === 'é' && encodeXML('<') === '&lt;';`,
  },
  {
    name: 'bignumber.js',
    use: `import BigNumber from 'bignumber.js'; export const run = () => new BigNumber('0.1').plus('0.2').toString() === '0.3';`,
  },
  {
    name: 'decimal.js',
    use: `import Decimal from 'decimal.js'; export const run = () => new Decimal('0.1').plus('0.2').toString() === '0.3' && Decimal.sqrt(2).toFixed(4) === '1.4142';`,
  },
  {
    name: 'big.js',
    use: `import Big from 'big.js'; export const run = () => new Big('0.1').plus('0.2').toString() === '0.3';`,
  },
  {
    name: 'mathjs',
    use: `import { evaluate, matrix, multiply } from 'mathjs'; export const run = () => evaluate('2 * (3 + 4)') === 14 && multiply(matrix([[1, 2]]), [[1], [2]]).get([0, 0]) === 5;`,
  },
  {
    name: 'fraction.js',
    use: `import Fraction from 'fraction.js'; export const run = () => new Fraction('1/3').add('1/6').toFraction() === '1/2';`,
  },
  {
    name: 'fuse.js',
    use: `import Fuse from 'fuse.js'; export const run = () => new Fuse(['apple', 'pear'], {}).search('aple')[0].item === 'apple';`,
  },
  {
    name: 'minisearch',
    use: `import MiniSearch from 'minisearch'; export const run = () => { const m = new MiniSearch({ fields: ['t'] }); m.addAll([{ id: 1, t: 'hello world' }]); return m.search('hello')[0].id === 1; };`,
  },
  {
    name: 'lunr',
    use: `import lunr from 'lunr'; export const run = () => lunr(function () { this.ref('id'); this.field('t'); this.add({ id: 1, t: 'hello world' }); }).search('hello')[0].ref === '1';`,
  },
  {
    name: 'lru-cache',
    use: `import { LRUCache } from 'lru-cache'; export const run = () => { const c = new LRUCache({ max: 2, ttl: 1000 }); c.set(1, 1); c.set(2, 2); c.set(3, 3); return !c.has(1) && c.get(3) === 3; };`,
  },
  {
    name: 'mitt',
    use: `import mitt from 'mitt'; export const run = () => { let got; const e = mitt(); e.on('a', (x) => { got = x; }); e.emit('a', 1); return got === 1; };`,
  },
  {
    name: 'eventemitter3',
    use: `import EventEmitter from 'eventemitter3'; export const run = () => { let got; const e = new EventEmitter(); e.once('a', (x) => { got = x; }); e.emit('a', 1); return got === 1; };`,
  },
  {
    name: 'axios',
    grants: { network: ['a.co'] },
    use: `import axios from 'axios'; export const run = async () => { const c = axios.create({ baseURL: 'https://a.co', adapter: async (config) => ({ data: { x: 1 }, status: 200, statusText: 'OK', headers: {}, config }) }); return (await c.get('/y')).data.x === 1 && c.getUri({ url: '/z', params: { q: 1 } }).endsWith('/z?q=1'); };`,
  },
  {
    name: 'node-fetch',
    grants: { network: ['a.co'] },
    use: `import fetch from 'node-fetch'; export const run = async () => (await (await fetch('https://a.co')).text()) === 'fetched';`,
  },
  {
    name: 'cross-fetch',
    grants: { network: ['a.co'] },
    use: `import fetch from 'cross-fetch'; export const run = async () => (await (await fetch('https://a.co')).text()) === 'fetched';`,
  },
  {
    name: 'commander',
    use: `import { Command } from 'commander'; export const run = () => { const p = new Command().exitOverride().option('-x, --x <n>'); p.parse(['--x', '3'], { from: 'user' }); return p.opts().x === '3'; };`,
  },
  {
    name: 'minimist',
    use: `import minimist from 'minimist'; export const run = () => minimist(['--a=1', 'b']).a === 1;`,
  },
  {
    name: 'yargs-parser',
    use: `import parse from 'yargs-parser'; export const run = () => parse('--foo=1 --no-bar').foo === 1;`,
  },
  {
    name: 'jsonpath-plus',
    use: `import { JSONPath } from 'jsonpath-plus'; export const run = () => JSONPath({ path: '$.a[?(@.b > 1)].b', json: { a: [{ b: 1 }, { b: 2 }] } })[0] === 2;`,
  },
  {
    name: 'jmespath',
    use: `import jmespath from 'jmespath'; export const run = () => jmespath.search({ a: [{ b: 1 }] }, 'a[0].b') === 1;`,
  },
  {
    name: 'object-hash',
    use: `import hash from 'object-hash'; export const run = () => hash({ a: 1, b: 2 }) === hash({ b: 2, a: 1 });`,
  },
  {
    name: 'fast-deep-equal',
    use: `import equal from 'fast-deep-equal'; export const run = () => equal({ a: [1] }, { a: [1] });`,
  },
  {
    name: 'deepmerge',
    use: `import merge from 'deepmerge'; export const run = () => merge({ a: { b: 1 } }, { a: { c: 2 } }).a.b === 1;`,
  },
  {
    name: 'tweetnacl',
    use: `import nacl from 'tweetnacl'; export const run = () => { const pair = nacl.sign.keyPair.fromSeed(new Uint8Array(32)); const message = new Uint8Array([1, 2]); return nacl.sign.detached.verify(message, nacl.sign.detached(message, pair.secretKey), pair.publicKey); };`,
  },
  {
    name: 'crypto-js',
    use: `import CryptoJS from 'crypto-js'; export const run = () => CryptoJS.SHA256('abc').toString().startsWith('ba7816bf');`,
  },
  {
    name: '@noble/hashes',
    use: `import { sha256 } from '@noble/hashes/sha2.js'; export const run = () => sha256(new TextEncoder().encode('abc'))[0] === 0xba;`,
  },
  {
    name: 'js-sha256',
    use: `import { sha256 } from 'js-sha256'; export const run = () => sha256('abc').startsWith('ba7816bf');`,
  },
  {
    name: 'bn.js',
    use: `import BN from 'bn.js'; export const run = () => new BN('12345678901234567890').mul(new BN(2)).toString() === '24691357802469135780' && new BN(255).toArrayLike(Uint8Array).length === 1;`,
  },
  {
    name: 'ical.js',
    use: `import ICAL from 'ical.js'; export const run = () => new ICAL.Component(ICAL.parse('BEGIN:VCALENDAR\\r\\nVERSION:2.0\\r\\nEND:VCALENDAR')).getFirstPropertyValue('version') === '2.0';`,
  },
  {
    name: 'rrule',
    use: `import { RRule } from 'rrule'; import rrule from 'rrule'; export const run = () => typeof rrule.rrulestr === 'function' && new RRule({ freq: RRule.DAILY, count: 3, dtstart: new Date(Date.UTC(2024, 0, 1)) }).all().length === 3;`,
  },
  {
    name: 'cron-parser',
    grants: random,
    use: `import parser from 'cron-parser'; export const run = () => { const p = parser.CronExpressionParser ?? parser; return p.parse('0 0 * * *', { currentDate: '2024-01-01T10:00:00Z', tz: 'UTC' }).next().toISOString() === '2024-01-02T00:00:00.000Z'; };`,
  },
  {
    name: 'diff',
    use: `import { diffLines, createPatch } from 'diff'; export const run = () => diffLines('a\\nb\\n', 'a\\nc\\n').length === 3 && createPatch('f', 'a', 'b').includes('+b');`,
  },
  {
    name: 'natural',
    use: `import natural from 'natural'; export const run = () => natural.PorterStemmer.stem('running') === 'run' && natural.LevenshteinDistance('ab', 'ac') === 1;`,
  },
  {
    name: 'stemmer',
    use: `import { stemmer } from 'stemmer'; export const run = () => stemmer('considerations') === 'consider';`,
  },
  {
    name: 'compromise',
    grants: random,
    use: `import nlp from 'compromise'; export const run = () => nlp('I walked').verbs().toPresentTense().all().text() === 'I walk';`,
  },
  {
    name: 'sanitize-html',
    use: `import sanitizeHtml from 'sanitize-html'; export const run = () => sanitizeHtml('<b>x</b><script>y</script><!-- c -->') === '<b>x</b>';`,
  },
  {
    name: 'xss',
    use: `import xss from 'xss'; export const run = () => !xss('<script>1</script>').includes('<script>');`,
  },
  {
    name: 'dompurify',
    use: `import DOMPurify from 'dompurify'; export const run = () => DOMPurify.isSupported === false || typeof DOMPurify === 'function';`,
  },
  {
    name: 'iconv-lite',
    use: `import iconv from 'iconv-lite'; export const run = () => iconv.decode(iconv.encode('é', 'latin1'), 'latin1') === 'é' && iconv.encodingExists('shift_jis') && iconv.decode(Buffer.from([0x82, 0xa0]), 'shift_jis') === 'あ';`,
  },
  {
    name: 'pako',
    use: `import * as pako from 'pako'; export const run = () => pako.inflate(pako.deflate('hello'), { toText: true }) === 'hello';`,
  },
  {
    name: 'fflate',
    use: `import { gzipSync, gunzipSync, strToU8, strFromU8 } from 'fflate'; export const run = () => strFromU8(gunzipSync(gzipSync(strToU8('hello'), { mtime: 0 }))) === 'hello';`,
  },
  {
    name: 'jszip',
    use: `import JSZip from 'jszip'; export const run = async () => { const z = new JSZip(); z.file('a.txt', 'hi'); const d = await z.generateAsync({ type: 'uint8array' }); return (await (await JSZip.loadAsync(d)).file('a.txt').async('string')) === 'hi'; };`,
  },
  {
    name: 'debug',
    use: `import debug from 'debug'; export const run = () => { debug('x')('quiet'); return debug.enabled('x') === false; };`,
  },
  {
    name: 'tslib',
    use: `import { __assign, __awaiter } from 'tslib'; export const run = () => __assign({}, { a: 1 }).a === 1;`,
  },
  {
    name: 'core-js-pure',
    use: `import flat from 'core-js-pure/actual/array/flat'; export const run = () => flat([1, [2]]).length === 2;`,
  },
  {
    name: 'ts-pattern',
    use: `import { match, P } from 'ts-pattern'; export const run = () => match({ a: 1 }).with({ a: P.number }, () => true).otherwise(() => false);`,
  },
  {
    name: 'fp-ts',
    use: `import { pipe } from 'fp-ts/function'; import * as O from 'fp-ts/Option'; export const run = () => pipe(O.some(1), O.map((x) => x + 1), O.getOrElse(() => 0)) === 2;`,
  },
  {
    name: 'effect',
    use: `import { Effect } from 'effect'; export const run = () => Effect.runSync(Effect.map(Effect.succeed(1), (x) => x + 1)) === 2;`,
  },
  {
    name: 'acorn',
    use: `import { parse } from 'acorn'; export const run = () => parse('a + 1', { ecmaVersion: 2022 }).body.length === 1;`,
  },
  {
    name: 'gray-matter',
    use: `import matter from 'gray-matter'; export const run = () => matter('---\\na: 1\\n---\\nx').data.a === 1;`,
  },
  {
    name: 'jsonwebtoken',
    use: `import jwt from 'jsonwebtoken'; export const run = () => jwt.decode('eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.x').a === 1;`,
  },
  {
    name: 'pluralize',
    use: `import pluralize from 'pluralize'; export const run = () => pluralize('mouse') === 'mice';`,
  },
  {
    name: 'classnames',
    use: `import cx from 'classnames'; export const run = () => cx('a', { b: true, c: false }) === 'a b';`,
  },
  {
    name: 'ajv-formats',
    install: ['ajv', 'ajv-formats'],
    use: `import Ajv from 'ajv'; import addFormats from 'ajv-formats'; export const run = () => { const ajv = new Ajv(); addFormats(ajv); return ajv.validate({ type: 'string', format: 'email' }, 'a@b.co'); };`,
  },
  {
    name: 'react-dom',
    install: ['react', 'react-dom'],
    use: `import { createElement } from 'react'; import { renderToStaticMarkup, renderToString } from 'react-dom/server'; export const run = () => renderToStaticMarkup(createElement('b', { title: 'x' }, 'hi')) === '<b title="x">hi</b>' && renderToString(createElement('i')) === '<i></i>';`,
  },
  {
    name: 'ai',
    grants: random,
    use: `import { tool, jsonSchema, generateId, convertToModelMessages } from 'ai'; export const run = async () => { const t = tool({ description: 'd', inputSchema: jsonSchema({ type: 'object' }), execute: async () => 1 }); return (await t.execute({}, {})) === 1 && generateId().length > 4 && (await convertToModelMessages([{ role: 'user', parts: [{ type: 'text', text: 'a' }] }]))[0].role === 'user'; };`,
  },
  {
    name: 'graphql',
    use: `import { graphqlSync, buildSchema } from 'graphql'; export const run = () => graphqlSync({ schema: buildSchema('type Query { a: Int }'), source: '{ a }', rootValue: { a: 4 } }).data.a === 4;`,
  },
  {
    name: 'unified',
    install: ['unified', 'remark-parse', 'remark-rehype', 'rehype-stringify'],
    use: `import { unified } from 'unified'; import parse from 'remark-parse'; import rehype from 'remark-rehype'; import stringify from 'rehype-stringify'; export const run = async () => String(await unified().use(parse).use(rehype).use(stringify).process('# Hi')) === '<h1>Hi</h1>';`,
  },
  {
    name: 'prettier',
    use: `import { format } from 'prettier/standalone'; import * as babel from 'prettier/plugins/babel'; import estree from 'prettier/plugins/estree'; export const run = async () => (await format('a( 1 )', { parser: 'babel', plugins: [babel, estree] })) === 'a(1);\\n';`,
  },
  {
    name: 'dot',
    use: `import doT from 'dot'; export const run = () => doT.template('<b>{{=it.x}}</b>')({ x: 3 }) === '<b>3</b>';`,
  },
  {
    name: 'showdown',
    use: `import showdown from 'showdown'; export const run = () => new showdown.Converter().makeHtml('**a**') === '<p><strong>a</strong></p>';`,
  },
  {
    name: 'linkedom',
    use: `import { parseHTML } from 'linkedom'; export const run = () => parseHTML('<p class=a>hi</p>').document.querySelector('.a').textContent === 'hi';`,
  },
  {
    name: '@mozilla/readability',
    install: ['@mozilla/readability', 'linkedom'],
    use: `import { Readability } from '@mozilla/readability'; import { parseHTML } from 'linkedom'; export const run = () => new Readability(parseHTML('<html><head><title>T</title></head><body><article><p>' + 'Long text, with commas. '.repeat(60) + '</p></article></body></html>').document).parse().title === 'T';`,
  },
  {
    name: 'xlsx',
    use: `import * as XLSX from 'xlsx'; export const run = () => { const w = XLSX.utils.book_new(); XLSX.utils.book_append_sheet(w, XLSX.utils.aoa_to_sheet([['a'], [1]]), 'S'); const b = XLSX.write(w, { type: 'array', bookType: 'xlsx' }); return XLSX.utils.sheet_to_json(XLSX.read(b, { type: 'array' }).Sheets.S)[0].a === 1; };`,
  },
  {
    name: 'exceljs',
    use: `import ExcelJS from 'exceljs'; export const run = async () => { const w = new ExcelJS.Workbook(); w.addWorksheet('S').addRow([1, 'b']); const b = await w.xlsx.writeBuffer(); const r = new ExcelJS.Workbook(); await r.xlsx.load(b); return r.getWorksheet('S').getCell('B1').value === 'b'; };`,
  },
  {
    name: 'pdf-lib',
    use: `import { PDFDocument } from 'pdf-lib'; export const run = async () => { const d = await PDFDocument.create(); d.addPage().drawText('hi'); return (await PDFDocument.load(await d.save())).getPageCount() === 1; };`,
  },
  {
    name: 'docx',
    grants: random,
    use: `import { Document, Packer, Paragraph } from 'docx'; export const run = async () => (await Packer.toBuffer(new Document({ sections: [{ children: [new Paragraph('hi')] }] })))[0] === 0x50;`,
  },
  {
    name: 'mammoth',
    install: ['mammoth', 'docx'],
    grants: random,
    use: `import mammoth from 'mammoth'; import { Document, Packer, Paragraph } from 'docx'; export const run = async () => { const buffer = await Packer.toBuffer(new Document({ sections: [{ children: [new Paragraph('hi')] }] })); return (await mammoth.extractRawText({ buffer })).value.trim() === 'hi'; };`,
  },
  {
    name: 'qrcode',
    use: `import QRCode from 'qrcode'; export const run = async () => (await QRCode.toString('hi', { type: 'svg' })).startsWith('<svg') && QRCode.create('hi').modules.size === 21;`,
  },
  {
    name: 'openai',
    grants: { network: ['a.co'], random: true },
    answer: { choices: [{ message: { content: 'hi' } }] },
    use: `import OpenAI from 'openai'; export const run = async () => (await new OpenAI({ apiKey: 'k', baseURL: 'https://a.co' }).chat.completions.create({ model: 'm', messages: [] })).choices[0].message.content === 'hi';`,
  },
  {
    name: '@anthropic-ai/sdk',
    grants: { network: ['a.co'], random: true },
    answer: { content: [{ type: 'text', text: 'hi' }] },
    use: `import Anthropic from '@anthropic-ai/sdk'; export const run = async () => (await new Anthropic({ apiKey: 'k', baseURL: 'https://a.co' }).messages.create({ model: 'm', max_tokens: 9, messages: [] })).content[0].text === 'hi';`,
  },
  {
    name: '@langchain/core',
    use: `import { PromptTemplate } from '@langchain/core/prompts'; import { HumanMessage } from '@langchain/core/messages'; export const run = async () => (await PromptTemplate.fromTemplate('Hi {n}').format({ n: 'x' })) === 'Hi x' && new HumanMessage('a').content === 'a';`,
  },
  {
    name: 'js-tiktoken',
    use: `import { Tiktoken } from 'js-tiktoken/lite'; import o200k from 'js-tiktoken/ranks/o200k_base'; export const run = () => new Tiktoken(o200k).encode('hello world').length === 2;`,
  },
  {
    name: 'libphonenumber-js',
    use: `import { parsePhoneNumber } from 'libphonenumber-js'; export const run = () => parsePhoneNumber('+12133734253').country === 'US';`,
  },
  {
    name: '@turf/turf',
    use: `import * as turf from '@turf/turf'; export const run = () => Math.round(turf.distance([0, 0], [0, 1])) === 111;`,
  },
  {
    name: 'd3',
    use: `import * as d3 from 'd3'; export const run = () => d3.scaleLinear([0, 10], [0, 1])(5) === 0.5 && d3.mean([1, 3]) === 2 && d3.format('.2f')(1) === '1.00';`,
  },
  {
    name: 'redux',
    install: ['redux', '@reduxjs/toolkit'],
    grants: random,
    use: `import { configureStore, createSlice } from '@reduxjs/toolkit'; export const run = () => { const s = createSlice({ name: 'c', initialState: { n: 0 }, reducers: { up: (x) => { x.n++; } } }); const t = configureStore({ reducer: s.reducer }); t.dispatch(s.actions.up()); return t.getState().n === 1; };`,
  },
  {
    name: 'mobx',
    use: `import { observable, autorun } from 'mobx'; export const run = () => { const o = observable({ n: 1 }); let seen = 0; autorun(() => { seen = o.n; }); o.n = 5; return seen === 5; };`,
  },
  {
    name: 'xstate',
    use: `import { createMachine, createActor } from 'xstate'; export const run = () => { const a = createActor(createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: {} } })).start(); a.send({ type: 'GO' }); return a.getSnapshot().value === 'b'; };`,
  },
  {
    name: 'i18next',
    use: `import i18next from 'i18next'; export const run = async () => { await i18next.init({ lng: 'en', resources: { en: { translation: { k: 'v {{n}}' } } } }); return i18next.t('k', { n: 1 }) === 'v 1'; };`,
  },
  {
    name: 'rss-parser',
    use: `import Parser from 'rss-parser'; export const run = async () => (await new Parser().parseString('<rss version="2.0"><channel><title>T</title><item><title>I</title></item></channel></rss>')).items[0].title === 'I';`,
  },
  {
    name: 'winston',
    use: `import winston from 'winston'; export const run = () => winston.createLogger({ silent: true, transports: [new winston.transports.Console()] }).info('x') !== undefined;`,
  },
  {
    name: 'pino',
    use: `import pino from 'pino'; export const run = () => { let line; pino({ browser: { write: (record) => { line = record; } } }).info('hi'); return line.msg === 'hi'; };`,
  },
  {
    name: 'ky',
    grants: { network: ['a.co'] },
    use: `import ky from 'ky'; export const run = async () => (await ky.get('https://a.co/').text()) === 'fetched';`,
  },
  {
    name: 'dotenv',
    use: `import { parse } from 'dotenv'; export const run = () => parse('A=1').A === '1';`,
  },
  {
    name: 'minimatch',
    use: `import { minimatch } from 'minimatch'; export const run = () => minimatch('a/b.js', '**/*.js');`,
  },
  {
    name: 'simple-statistics',
    use: `import { linearRegression } from 'simple-statistics'; export const run = () => linearRegression([[0, 0], [1, 2]]).m === 2;`,
  },
  {
    name: 'seedrandom',
    use: `import seedrandom from 'seedrandom'; export const run = () => seedrandom('hello.')() === seedrandom('hello.')();`,
  },
  {
    name: 'peggy',
    use: `import peggy from 'peggy'; export const run = () => peggy.generate('start = [0-9]+ { return 7; }').parse('12') === 7;`,
  },
  {
    name: 'three',
    use: `import { Vector3, Matrix4 } from 'three'; export const run = () => new Vector3(1, 2, 2).length() === 3 && new Matrix4().determinant() === 1;`,
  },
  {
    name: '@notionhq/client',
    use: `import { Client, isFullPage } from '@notionhq/client'; export const run = async () => { const n = new Client({ auth: 'k', fetch: async (url, init) => new Response(JSON.stringify({ object: 'page', id: 'p', url: 'u', properties: {}, parent: {} }), { status: 200, headers: { 'content-type': 'application/json' } }) }); const page = await n.pages.retrieve({ page_id: 'p' }); return page.id === 'p' && isFullPage(page); };`,
  },
  {
    name: '@octokit/rest',
    use: `import { Octokit } from '@octokit/rest'; export const run = async () => { const o = new Octokit({ request: { fetch: async (url) => new Response(JSON.stringify({ full_name: String(url) }), { status: 200, headers: { 'content-type': 'application/json' } }) } }); return (await o.rest.repos.get({ owner: 'a', repo: 'b' })).data.full_name.endsWith('/repos/a/b'); };`,
  },
  {
    name: 'stripe',
    grants: random,
    use: `import Stripe from 'stripe'; export const run = async () => { const s = new Stripe('sk_test_x', { httpClient: Stripe.createFetchHttpClient(async () => new Response('{"id":"cus_1","object":"customer"}', { status: 200, headers: { 'content-type': 'application/json' } })) }); return (await s.customers.retrieve('cus_1')).id === 'cus_1'; };`,
  },
  {
    name: '@slack/web-api',
    grants: { network: ['slack.com'], random: true },
    answer: { ok: true, ts: '1.2' },
    use: `import { WebClient } from '@slack/web-api'; export const run = async () => (await new WebClient('xoxb-1').chat.postMessage({ channel: 'c', text: 't' })).ts === '1.2';`,
  },
  {
    name: '@google/generative-ai',
    grants: { network: ['generativelanguage.googleapis.com'] },
    answer: { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] } }] },
    use: `import { GoogleGenerativeAI } from '@google/generative-ai'; export const run = async () => (await new GoogleGenerativeAI('k').getGenerativeModel({ model: 'm' }).generateContent('x')).response.text() === 'hi';`,
  },
  {
    name: 'chrono-node',
    use: `import * as chrono from 'chrono-node'; export const run = () => chrono.parseDate('tomorrow at noon', new Date(2024, 0, 1)).getDate() === 2;`,
  },
  {
    name: 'json5',
    use: `import JSON5 from 'json5'; export const run = () => JSON5.parse("{a: 'b', /* c */ n: +1,}").n === 1;`,
  },
  {
    name: 'jsonrepair',
    use: `import { jsonrepair } from 'jsonrepair'; export const run = () => JSON.parse(jsonrepair("{a: 'b',}")).a === 'b';`,
  },
  {
    name: '@sinclair/typebox',
    use: `import { Type } from '@sinclair/typebox'; import { Value } from '@sinclair/typebox/value'; import { TypeCompiler } from '@sinclair/typebox/compiler'; export const run = () => { const T = Type.Object({ a: Type.Number() }); return Value.Check(T, { a: 1 }) && TypeCompiler.Compile(T).Check({ a: 1 }); };`,
  },
  {
    name: 'protobufjs',
    use: `import protobuf from 'protobufjs'; export const run = () => { const { root } = protobuf.parse('syntax = "proto3"; message A { string b = 1; }'); const A = root.lookupType('A'); return A.decode(A.encode({ b: 'x' }).finish()).b === 'x'; };`,
  },
  {
    name: 'postcss',
    use: `import postcss from 'postcss'; export const run = () => postcss([{ postcssPlugin: 'x', Declaration(d) { d.value = 'red' } }]).process('a{color:blue}', { from: undefined }).css === 'a{color:red}';`,
  },
  {
    name: '@babel/core',
    use: `import { transformSync } from '@babel/core'; export const run = () => transformSync('const a = 1 ?? 2;', { configFile: false, babelrc: false, compact: true }).code.startsWith('const a=1');`,
  },
  {
    name: 'terser',
    use: `import { minify } from 'terser'; export const run = async () => (await minify('function add(first, second) { return first + second }')).code === 'function add(n,d){return n+d}';`,
  },
  {
    name: 'sql-formatter',
    use: `import { format } from 'sql-formatter'; export const run = () => format('select a from b').includes('\\n');`,
  },
  {
    name: 'remark',
    install: ['remark', 'remark-html', 'remark-gfm'],
    use: `import { remark } from 'remark'; import html from 'remark-html'; import gfm from 'remark-gfm'; export const run = async () => String(await remark().use(gfm).use(html).process('# Hi\\n\\n|a|\\n|-|\\n|b|')).includes('<table>');`,
  },
  {
    name: 'mailparser',
    use: `import { simpleParser } from 'mailparser'; export const run = async () => (await simpleParser('From: a@b.c\\r\\nSubject: =?utf-8?B?SGk=?=\\r\\n\\r\\nBody')).subject === 'Hi';`,
  },
  {
    name: 'feed',
    use: `import { Feed } from 'feed'; export const run = () => { const f = new Feed({ title: 'T', id: 'i', copyright: 'c' }); f.addItem({ title: 'x', link: 'https://a.test', date: new Date(0) }); return f.rss2().includes('<title>x</title>') || f.rss2().includes('CDATA[x]'); };`,
  },
  {
    name: 'gpt-tokenizer',
    use: `import { encode, decode } from 'gpt-tokenizer'; export const run = () => decode(encode('hello world')) === 'hello world';`,
  },
  {
    name: 'chess.js',
    use: `import { Chess } from 'chess.js'; export const run = () => { const c = new Chess(); c.move('e4'); return c.moves().length === 20; };`,
  },
  {
    name: 'geolib',
    use: `import { getDistance } from 'geolib'; export const run = () => Math.abs(getDistance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 1 }) - 111319) < 100;`,
  },
  {
    name: 'ua-parser-js',
    use: `import { UAParser } from 'ua-parser-js'; export const run = () => new UAParser('Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0').getBrowser().name === 'Firefox';`,
  },
  {
    name: 'svgo',
    use: `import { optimize } from 'svgo/browser'; export const run = () => optimize('<svg xmlns="http://www.w3.org/2000/svg"><!-- c --><g><path d="M 0 0 L 10 10"/></g></svg>').data.includes('<path');`,
  },
  {
    name: 'graphql-request',
    use: `import { GraphQLClient, gql } from 'graphql-request'; export const run = async () => (await new GraphQLClient('https://a.test/graphql', { fetch: async () => new Response('{"data":{"a":1}}', { headers: { 'content-type': 'application/json' } }) }).request(gql\`{ a }\`)).a === 1;`,
  },
  {
    name: 'preact',
    install: ['preact', 'preact-render-to-string'],
    use: `import { h } from 'preact'; import { render } from 'preact-render-to-string'; export const run = () => render(h('p', { class: 'a' }, 'x')) === '<p class="a">x</p>';`,
  },
  {
    name: 'vue',
    use: `import { createSSRApp, h } from 'vue'; import { renderToString } from 'vue/server-renderer'; export const run = async () => (await renderToString(createSSRApp({ render: () => h('p', 'x') }))) === '<p>x</p>';`,
  },
  {
    name: 'undici',
    grants: { network: ['a.co'] },
    use: `import { fetch, request } from 'undici'; export const run = async () => (await (await fetch('https://a.co/')).text()) === 'fetched';`,
  },
  {
    name: 'jose',
    use: `import { SignJWT, jwtVerify } from 'jose'; export const run = async () => { const k = new TextEncoder().encode('x'.repeat(32)); const t = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(k); return (await jwtVerify(t, k)).payload.a === 1; };`,
  },
  {
    name: 'pug',
    use: `import pug from 'pug'; export const run = () => pug.render('p= name', { name: 'x' }) === '<p>x</p>' && pug.compile('ul\\n  each i in items\\n    li= i')({ items: [1, 2] }) === '<ul><li>1</li><li>2</li></ul>';`,
  },
  {
    name: 'got',
    system: 'vellum',
    grants: { network: ['a.co'], random: true },
    use: `import got from 'got'; export const run = async () => (await got('https://a.co/', { retry: { limit: 0 } }).text()) === 'fetched' && (await got.post('https://a.co/echo', { json: { a: 1 } }).json()).body === '{"a":1}';`,
  },
  {
    name: 'superagent',
    grants: { network: ['a.co'] },
    use: `import superagent from 'superagent'; export const run = async () => (await superagent.get('https://a.co/').buffer(true)).text === 'fetched' && (await superagent.post('https://a.co/echo').query({ q: 2 }).send({ a: 1 })).body.body === '{"a":1}';`,
  },
  {
    name: '@supabase/supabase-js',
    grants: { network: ['a.co'] },
    use: `import { createClient } from '@supabase/supabase-js'; export const run = async () => { const s = createClient('https://a.co', 'key', { auth: { persistSession: false, autoRefreshToken: false } }); const { data, error } = await s.from('t').select('*').csv(); return error === null && data === 'fetched'; };`,
  },
  {
    name: 'zod-to-json-schema',
    install: ['zod-to-json-schema', 'zod'],
    use: `import { z } from 'zod/v3'; import { zodToJsonSchema } from 'zod-to-json-schema'; export const run = () => zodToJsonSchema(z.object({ a: z.number().int() })).properties.a.type === 'integer';`,
  },
  {
    name: '@googleapis/calendar',
    grants: { network: ['www.googleapis.com'], random: true },
    answer: { kind: 'calendar#events', items: [{ id: 'e1', summary: 'Lunch' }] },
    use: `import { calendar } from '@googleapis/calendar'; export const run = async () => (await calendar({ version: 'v3', auth: 'key' }).events.list({ calendarId: 'primary' })).data.items[0].summary === 'Lunch';`,
  },
  {
    name: 'nodemailer',
    system: 'vellum',
    grants: random,
    use: `import nodemailer from 'nodemailer'; export const run = async () => { const t = nodemailer.createTransport({ jsonTransport: true }); const { message } = await t.sendMail({ from: 'a@b.co', to: 'c@d.co', subject: 'Hi', text: 'x' }); return JSON.parse(message).subject === 'Hi'; };`,
  },
  {
    name: 'twilio',
    grants: { network: ['api.twilio.com'], random: true },
    answer: { sid: 'SM1', body: 'hi' },
    use: `import twilio from 'twilio'; export const run = async () => (await twilio('AC' + '0'.repeat(32), 'token').messages.create({ to: '+15005550006', from: '+15005550001', body: 'hi' })).sid === 'SM1';`,
  },
  {
    name: '@sendgrid/mail',
    grants: { network: ['api.sendgrid.com'], random: true },
    answer: {},
    use: `import sg from '@sendgrid/mail'; export const run = async () => { sg.setApiKey('SG.x'); return (await sg.send({ to: 'a@b.co', from: 'c@d.co', subject: 's', text: 't' }))[0].statusCode === 200; };`,
  },
  {
    name: '@aws-sdk/client-s3',
    system: 'vellum',
    grants: { network: ['a.co'], random: true },
    use: `import { S3Client, GetObjectCommand } from '@aws-sdk/client-s3'; export const run = async () => { const c = new S3Client({ region: 'us-east-1', endpoint: 'https://a.co', forcePathStyle: true, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }); const r = await c.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })); return (await r.Body.transformToString()) === 'fetched'; };`,
  },
  {
    name: '@linear/sdk',
    grants: { network: ['api.linear.app'] },
    answer: {
      data: {
        viewer: {
          id: 'u1',
          name: 'Ada',
          displayName: 'ada',
          email: 'a@b.co',
          createdAt: '2024-01-01T00:00:00Z',
          updatedAt: '2024-01-01T00:00:00Z',
        },
      },
    },
    use: `import { LinearClient } from '@linear/sdk'; export const run = async () => (await new LinearClient({ apiKey: 'k' }).viewer).name === 'Ada';`,
  },
  {
    name: 'grammy',
    grants: { network: ['api.telegram.org'] },
    answer: { ok: true, result: { id: 1, is_bot: true, first_name: 'b', username: 'bot' } },
    use: `import { Bot } from 'grammy'; export const run = async () => (await new Bot('1:a').api.getMe()).username === 'bot';`,
  },
  {
    name: '@tavily/core',
    grants: { network: ['api.tavily.com'] },
    answer: {
      query: 'q',
      results: [{ title: 't', url: 'u', content: 'c', score: 1 }],
      images: [],
      response_time: 1,
    },
    use: `import { tavily } from '@tavily/core'; export const run = async () => (await tavily({ apiKey: 'k' }).search('q')).results[0].title === 't';`,
  },
  {
    name: 'exa-js',
    grants: { network: ['api.exa.ai'] },
    answer: { results: [{ title: 't' }] },
    use: `import Exa from 'exa-js'; export const run = async () => (await new Exa('k').search('q')).results[0].title === 't';`,
  },
  {
    name: 'ollama',
    grants: { network: ['a.co'] },
    answer: { message: { role: 'assistant', content: 'hi' } },
    use: `import { Ollama } from 'ollama'; export const run = async () => (await new Ollama({ host: 'https://a.co' }).chat({ model: 'm', messages: [{ role: 'user', content: 'x' }] })).message.content === 'hi';`,
  },
  {
    name: 'replicate',
    grants: { network: ['api.replicate.com'] },
    answer: { id: 'p1', status: 'starting' },
    use: `import Replicate from 'replicate'; export const run = async () => (await new Replicate({ auth: 'k' }).predictions.create({ version: 'v', input: {} })).id === 'p1';`,
  },
  {
    name: 'tough-cookie',
    use: `import { CookieJar } from 'tough-cookie'; export const run = async () => { const j = new CookieJar(); await j.setCookie('a=1; Path=/', 'https://a.co/'); return (await j.getCookieString('https://a.co/x')) === 'a=1'; };`,
  },
  {
    name: 'bottleneck',
    grants: random,
    use: `import Bottleneck from 'bottleneck'; export const run = async () => { const b = new Bottleneck({ maxConcurrent: 1 }); return (await Promise.all([1, 2].map((n) => b.schedule(async () => n * 2)))).join() === '2,4'; };`,
  },
  {
    name: 'fast-csv',
    use: `import { parseString } from 'fast-csv'; export const run = () => new Promise((resolve, reject) => { const rows = []; parseString('a,b\\n1,2', { headers: true }).on('error', reject).on('data', (r) => rows.push(r)).on('end', () => resolve(rows[0].b === '2')); });`,
  },
  {
    name: 'unpdf',
    use: `import { extractText, getDocumentProxy } from 'unpdf'; const PDF = '%PDF-1.4\\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj 4 0 obj<</Length 40>>stream\\nBT /F1 12 Tf 10 100 Td (Hello) Tj ET     \\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj trailer<</Root 1 0 R>>'; export const run = async () => (await extractText(await getDocumentProxy(new TextEncoder().encode(PDF)), { mergePages: true })).text.includes('Hello');`,
  },
  {
    name: 'node-ical',
    grants: random,
    use: `import ical from 'node-ical'; export const run = () => Object.values(ical.sync.parseICS('BEGIN:VCALENDAR\\r\\nBEGIN:VEVENT\\r\\nUID:1\\r\\nSUMMARY:Lunch\\r\\nDTSTART:20240101T120000Z\\r\\nEND:VEVENT\\r\\nEND:VCALENDAR')).some((e) => e.summary === 'Lunch');`,
  },
  {
    name: 'airtable',
    grants: { network: ['api.airtable.com'] },
    answer: { records: [{ id: 'r1', fields: { a: 1 } }] },
    use: `import Airtable from 'airtable'; export const run = async () => (await new Airtable({ apiKey: 'k' }).base('b')('t').select().firstPage())[0].get('a') === 1;`,
  },
  {
    name: 'groq-sdk',
    grants: { network: ['api.groq.com'], random: true },
    answer: { choices: [{ message: { content: 'hi' } }] },
    use: `import Groq from 'groq-sdk'; export const run = async () => (await new Groq({ apiKey: 'k' }).chat.completions.create({ model: 'm', messages: [] })).choices[0].message.content === 'hi';`,
  },
  {
    name: 'currency.js',
    use: `import currency from 'currency.js'; export const run = () => currency('1.10').add(2.2).value === 3.3 && currency(1234.5).format() === '$1,234.50';`,
  },
  {
    name: 'sucrase',
    use: `import { transform } from 'sucrase'; export const run = () => transform('const a: number = 1', { transforms: ['typescript'] }).code.trim() === 'const a = 1';`,
  },
  {
    name: '@atproto/api',
    grants: { network: ['public.api.bsky.app'], random: true },
    answer: { did: 'did:plc:a', handle: 'a.co' },
    use: `import { AtpAgent } from '@atproto/api'; export const run = async () => (await new AtpAgent({ service: 'https://public.api.bsky.app' }).getProfile({ actor: 'a.co' })).data.handle === 'a.co';`,
  },
  {
    name: 'telegraf',
    grants: { network: ['api.telegram.org'], random: true },
    answer: { ok: true, result: { id: 1, is_bot: true, first_name: 'b', username: 'bot' } },
    use: `import { Telegram } from 'telegraf'; export const run = async () => (await new Telegram('1:a').getMe()).username === 'bot';`,
  },
  {
    name: 'keyv',
    use: `import Keyv from 'keyv'; export const run = async () => { const k = new Keyv(); await k.set('a', 1, 1000); return (await k.get('a')) === 1; };`,
  },
  {
    name: '@js-temporal/polyfill',
    use: `import { Temporal } from '@js-temporal/polyfill'; export const run = () => Temporal.PlainDate.from('2024-02-28').add({ days: 2 }).toString() === '2024-03-01' && Temporal.ZonedDateTime.from('2024-07-01T12:00[Europe/Vienna]').offset === '+02:00';`,
  },
];
