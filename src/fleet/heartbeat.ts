import {
  array,
  boolean,
  number,
  object,
  optional,
  readShape,
  type Shape,
  string,
} from '../schema/shape.js';
import { parse } from './frame.js';

/** What a runner says about itself every two seconds. Unsigned: it routes, and proves nothing. */
export interface Heartbeat {
  readonly runner: string;
  /** Another one after each start. */
  readonly instance: string;
  readonly version: string;
  readonly artifacts: readonly string[];
  readonly callsUnderWay: number;
  readonly maxCalls: number;
  readonly freeMemory: number;
  readonly leaving: boolean;
  readonly tenants?: readonly string[];
  /** The gateways that it hears, as `gatewayId` names them. */
  readonly hears: readonly string[];
  /** Its side of the sessions with gateways: see `SessionParty`. */
  readonly session: string;
  /** The gateways' sides that it knows now. */
  readonly sessions: readonly string[];
}

export const HEARTBEAT_EVERY_MS = 2_000;

/** Milliseconds without a heartbeat after which a runner counts as lost. */
export const SILENT_AFTER_MS = 6_000;

/** The heartbeat in a message, which may come from a hostile runner; `undefined`: it is not one. */
export function readHeartbeat(text: string): Heartbeat | undefined {
  const read = readShape(heartbeatShape, parse(text), 'heartbeat');
  return read.ok ? read.value : undefined;
}

const heartbeatShape: Shape<Heartbeat> = object({
  runner: string(),
  instance: string(),
  version: string(),
  artifacts: array(string()),
  callsUnderWay: number,
  maxCalls: number,
  freeMemory: number,
  leaving: boolean,
  tenants: optional(array(string())),
  hears: array(string()),
  session: string(),
  sessions: array(string()),
});
