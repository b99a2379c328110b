// Loaded into the tests of a product that has lost a guard: whatever that guard kept in, no packet
// leaves this machine. It stands where Node hands addresses to the system, below everything of ours.
'use strict';
const dns = require('node:dns');
const { isIP } = require('node:net');

// What was about to connect fails as it would without a network.
const UNREACHABLE = -101;
const isLoopback = (address) => /^127\.|^::1$|^::ffff:127\./.test(String(address));

const { TCP } = process.binding('tcp_wrap');
for (const name of ['connect', 'connect6']) {
  const connect = TCP.prototype[name];
  TCP.prototype[name] = function (request, address, ...rest) {
    return isLoopback(address) ? connect.call(this, request, address, ...rest) : UNREACHABLE;
  };
}

const { UDP } = process.binding('udp_wrap');
for (const name of ['send', 'send6', 'connect', 'connect6']) {
  const send = UDP.prototype[name];
  UDP.prototype[name] = function (...args) {
    return args.some(isLoopback) ? send.apply(this, args) : UNREACHABLE;
  };
}

// Name servers are asked by C code with sockets of its own: only a test's own are asked.
const { ChannelWrap } = process.binding('cares_wrap');
for (const name of Object.getOwnPropertyNames(ChannelWrap.prototype)) {
  if (!/^(query|getHostByAddr)/.test(name)) continue;
  const query = ChannelWrap.prototype[name];
  ChannelWrap.prototype[name] = function (...args) {
    const own = this.getServers().every(([address]) => isLoopback(address));
    return own ? query.apply(this, args) : UNREACHABLE;
  };
}

const { lookup } = dns;
const { lookup: lookupLater } = dns.promises;
// An address needs no lookup.
const isLocal = (host) => host === 'localhost' || isIP(host) !== 0;
dns.lookup = (host, ...rest) =>
  isLocal(host) ? lookup(host, ...rest) : rest.at(-1)(new Error(`no lookup of ${host} here`));
dns.promises.lookup = (host, ...rest) =>
  isLocal(host)
    ? lookupLater(host, ...rest)
    : Promise.reject(new Error(`no lookup of ${host} here`));
