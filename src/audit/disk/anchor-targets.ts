import { createSocket } from 'node:dgram';
import { appendFile, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { dirname, resolve as absolute } from 'node:path';
import { makeDirectories } from '../../make-directories.js';
import { BulkheadError, systemCode } from '../../errors.js';
import { type Anchor, formatAnchor, parseAnchors, SEGMENT_LINE } from '../verify.js';

/** A second place for anchors. The log's writer should be able to add to it, and not to change it. */
export type AnchorTarget =
  /** Appends a line to a file, e.g. on another machine's disk, or with the attribute append-only. */
  | { readonly file: string }
  /** Sends a POST of JSON: `{ log, anchor, seq, hash, at }`. */
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  /** Sends an RFC 5424 message: `syslog://host:514` over UDP, `syslog+tcp://host:601` over TCP. */
  | { readonly syslog: string };

export interface AnchorNote {
  /** The name of the log. */
  readonly log: string;
  readonly anchor: Anchor;
  readonly atMs: number;
  /** The new name of a log that was not intact: anchors before this one are of that log. */
  readonly segmentAfter?: string;
}

export interface AnchorSender {
  /** For messages. */
  readonly name: string;
  /** Rejects if the place did not take the anchor. */
  send(note: AnchorNote): Promise<void>;
  /** The last anchor of the current log that the place has. Absent if the place cannot be read. */
  readonly last?: () => Promise<Anchor | undefined>;
}

const TIMEOUT_MS = 10_000;

/** Throws `INVALID_OPTIONS`. */
export function makeAnchorSender(target: AnchorTarget): AnchorSender {
  if ('file' in target) return fileSender(absolute(target.file));
  if ('url' in target) return urlSender(target.url, target.headers ?? {});
  return syslogSender(target.syslog);
}

function fileSender(file: string): AnchorSender {
  return {
    name: file,
    send: async ({ anchor, atMs, segmentAfter }) => {
      await makeDirectories(dirname(file));
      const time = new Date(atMs).toISOString();
      const marker =
        segmentAfter === undefined
          ? ''
          : `${time} ${SEGMENT_LINE} the anchors above are of ${segmentAfter}\n`;
      await appendFile(file, `${marker}${time} ${formatAnchor(anchor)}\n`, { mode: 0o600 });
    },
    last: async () => {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (systemCode(error) === 'ENOENT') return '';
        throw error;
      });
      return text.includes('bulkhead-audit:') ? parseAnchors(text, []).at(-1) : undefined;
    },
  };
}

function urlSender(url: string, headers: Readonly<Record<string, string>>): AnchorSender {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain =
    parsed?.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(parsed.hostname);
  // guard: anchor-url-protected
  if (parsed?.protocol !== 'https:' && !plain) {
    throw invalid(`${url} is not an https URL. Use https; only loopback may be plain http`);
  }
  return {
    name: url,
    send: async ({ log, anchor, atMs, segmentAfter }) => {
      const body = JSON.stringify({
        log,
        anchor: formatAnchor(anchor),
        ...anchor,
        at: new Date(atMs).toISOString(),
        ...(segmentAfter === undefined ? {} : { segmentAfter }),
      });
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // A redirect would send the headers to another server.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
    },
  };
}

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6;

function syslogSender(text: string): AnchorSender {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = url?.protocol;
  if (url === undefined || (protocol !== 'syslog:' && protocol !== 'syslog+tcp:')) {
    throw invalid(
      `${text} is not a syslog server. Use syslog://HOST:PORT or syslog+tcp://HOST:PORT`,
    );
  }
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const port = Number(url.port === '' ? (protocol === 'syslog:' ? 514 : 601) : url.port);
  const deliver = protocol === 'syslog:' ? sendDatagram : sendStream;
  return {
    name: text,
    send: ({ log, anchor, atMs, segmentAfter }) => {
      const time = new Date(atMs).toISOString();
      const about = segmentAfter === undefined ? '' : ` new segment after ${segmentAfter}`;
      return deliver(
        host,
        port,
        `<${PRIORITY}>1 ${time} ${hostname()} bulkhead ${process.pid} audit-anchor - ${formatAnchor(anchor)} of ${log}${about}`,
      );
    },
  };
}

function sendDatagram(host: string, port: number, message: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const end = (error?: Error | null): void => {
      socket.close();
      if (error === undefined || error === null) resolve();
      else reject(error);
    };
    socket.once('error', end);
    socket.send(message, port, host, end);
  });
}

/** RFC 6587: the number of bytes, a space, and the message. */
function sendStream(host: string, port: number, message: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    socket.once('timeout', () => socket.destroy(new Error('it did not answer in time')));
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.end(`${Buffer.byteLength(message)} ${message}`);
    socket.resume();
  });
}

function invalid(why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option audit.anchors is not valid: ${why}.`, {
    option: 'audit.anchors',
  });
}
