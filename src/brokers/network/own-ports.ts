import { isIP, type Socket } from 'node:net';
import { isOwnPort } from '../../own-ports.js';
import { blockedRange } from './addresses.js';

/** Whether a connected socket leads to a server of this process. */
export function leadsToOwnPort({
  remotePort = 0,
  remoteAddress = '',
  localAddress,
}: Socket): boolean {
  if (!isOwnPort(remotePort)) return false;
  // A connection to any address of this machine starts at that address, except within 127.0.0.0/8.
  return remoteAddress === localAddress || isLoopbackAddress(remoteAddress);
}

function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && (blockedRange(address) ?? '').includes('loopback');
}
