/**
 * Splits standard input into lines. A line longer than `maxBytes` is `undefined`: its bytes are dropped,
 * not collected. Blank lines are skipped.
 */
export async function* readLines(
  stdin: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | undefined> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const add = (piece: Uint8Array): void => {
    bytes += piece.byteLength;
    if (bytes > maxBytes) pieces = [];
    // A copy: the reader of standard input may use its buffer again.
    else pieces.push(piece.slice());
  };
  const endLine = (): string | undefined => {
    const line = bytes > maxBytes ? undefined : Buffer.concat(pieces).toString('utf8');
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of stdin) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = endLine();
      if (line === undefined || line.trim() !== '') yield line;
    }
    add(chunk.subarray(start));
  }
  const rest = endLine();
  if (rest === undefined || rest.trim() !== '') yield rest;
}

const NEWLINE = 0x0a;
