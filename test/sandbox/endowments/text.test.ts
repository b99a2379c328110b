import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

describe('text encodings', () => {
  test('TextEncoder encodes UTF-8, lone surrogates as U+FFFD', async () => {
    expect(
      await realm.value(
        `const e = new TextEncoder(); return [e.encoding, [...e.encode('aé✓😀\\ud800')], [...e.encode()], e.encode('x').buffer.byteLength, e.encode('x').constructor === Uint8Array]`,
      ),
    ).toEqual([
      'utf-8',
      [97, 195, 169, 226, 156, 147, 240, 159, 152, 128, 239, 191, 189],
      [],
      1,
      true,
    ]);
  });

  test('encodeInto writes only whole characters that fit', async () => {
    expect(
      await realm.value(
        `const e = new TextEncoder(); const at = (text, n) => { const b = new Uint8Array(n); return [e.encodeInto(text, b), [...b]] };
       const piece = new Uint8Array(8); e.encodeInto('é', piece.subarray(3, 6));
       return [at('aé✓😀', 10), at('aé✓😀', 9), at('\\ud800', 3), at('✓', 2), at('aé✓😀', 16), at('\\ud800', 4), [...piece], ...[[], new Uint16Array(4), new Proxy(new Uint8Array(1), {}), { length: 9 }, new DataView(new ArrayBuffer(4))].map((x) => { try { e.encodeInto('a', x) } catch (err) { return err.name } })]`,
      ),
    ).toEqual([
      [{ read: 5, written: 10 }, [97, 195, 169, 226, 156, 147, 240, 159, 152, 128]],
      [{ read: 3, written: 6 }, [97, 195, 169, 226, 156, 147, 0, 0, 0]],
      [{ read: 1, written: 3 }, [239, 191, 189]],
      [{ read: 0, written: 0 }, [0, 0]],
      [
        { read: 5, written: 10 },
        [97, 195, 169, 226, 156, 147, 240, 159, 152, 128, 0, 0, 0, 0, 0, 0],
      ],
      [{ read: 1, written: 3 }, [239, 191, 189, 0]],
      [0, 0, 0, 195, 169, 0, 0, 0],
      'TypeError',
      'TypeError',
      'TypeError',
      'TypeError',
      'TypeError',
    ]);
  });

  test('TextDecoder decodes as the platform does, whole or in parts', async () => {
    expect(
      await realm.value(
        `const bytes = new Uint8Array([239, 187, 191, 226, 156, 147]); const d = new TextDecoder();
       const split = d.decode(bytes.subarray(0, 4), { stream: true }) + d.decode(bytes.subarray(4), { stream: true }) + d.decode();
       return [d.decode(bytes), split, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).length, new TextDecoder('utf-16le').decode(new Uint8Array([65, 0])), new TextDecoder('latin1').encoding,
         d.decode(bytes.buffer), d.decode(new DataView(bytes.buffer, 3)), d.decode(new Uint8Array([255])), new TextDecoder(' UTF8 ').encoding, d.fatal, d.ignoreBOM]`,
      ),
    ).toEqual(['✓', '✓', 2, 'A', 'windows-1252', '✓', '✓', '\ufffd', 'utf-8', false, false]);
  });

  test('malformed bytes and unknown encodings throw the language’s own errors', async () => {
    expect(
      await realm.value(
        `const d = new TextDecoder('utf-8', { fatal: true }); const tell = (f) => { try { return f() } catch (e) { return [e.code, Object.getPrototypeOf(e) === TypeError.prototype || Object.getPrototypeOf(e) === RangeError.prototype, Object.keys(e)] } };
       return [tell(() => d.decode(new Uint8Array([65, 255]))), tell(() => d.decode(new Uint8Array([66]))), tell(() => new TextDecoder('klingon')), tell(() => d.decode('text')), tell(() => TextDecoder.prototype.decode.call({}, new Uint8Array(1)))]`,
      ),
    ).toEqual([
      ['ERR_ENCODING_INVALID_ENCODED_DATA', true, ['code']],
      'B',
      ['ERR_ENCODING_NOT_SUPPORTED', true, ['code']],
      [null, true, []],
      [null, true, []],
    ]);
  });

  test('a view’s own properties and class do not decide its bytes', async () => {
    expect(
      await realm.value(
        `let asked = 0; class Sly extends Uint8Array { get buffer() { asked++; return new ArrayBuffer(100) } get byteLength() { asked++; return 100 } get length() { asked++; return 100 } static get [Symbol.species]() { asked++; return Array } }
       const sly = new Sly(2); sly.fill(65); Object.defineProperty(sly, 'byteOffset', { get() { asked++; return 1 } });
       return [new TextDecoder().decode(sly), asked]`,
      ),
    ).toEqual(['AA', 0]);
  });

  test('atob and btoa convert, and refuse with a DOMException of the compartment', async () => {
    expect(
      await realm.value(
        `const { atob: a, btoa: b } = globalThis; const tell = (f) => { try { return f() } catch (e) { return [e.name, e.code, e instanceof DOMException, e instanceof Error] } };
       return [b('hé'), a('aOk='), a(' a Ok '), tell(() => a('*')), tell(() => b('✓')), b(1), b(null)]`,
      ),
    ).toEqual([
      'aOk=',
      'hé',
      'hé',
      ['InvalidCharacterError', 5, true, true],
      ['InvalidCharacterError', 5, true, true],
      'MQ==',
      'bnVsbA==',
    ]);
  });
});
