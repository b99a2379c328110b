import type { Guard } from './guard.js';

const tests = ['test/engine/mcp-client-powers.test.ts'];

const exclusive = ['test/brokers/network/secrets/only.test.ts'];
const listings = ['test/engine/mcp-listings.test.ts'];

/** What an MCP server in a guest asks of the client that calls, and what it lists later. */
export const mcpAskingGuards: readonly Guard[] = [
  {
    id: 'client-request-attributed',
    stops: 'a question that reaches the user of another call',
    mutation: 'never',
    tests,
  },
  {
    id: 'client-questions-counted',
    stops: 'a call that asks the user without end',
    mutation: 'never',
    tests,
  },
  {
    id: 'client-samples-counted',
    stops: 'a call that asks the model without end',
    mutation: 'never',
    tests,
  },
  {
    id: 'sampling-approved',
    stops: 'a text of a plugin that reaches the model without approval',
    mutation: 'never',
    tests,
  },
  {
    id: 'roots-of-granted-mounts',
    stops: 'a root that was not granted',
    mutation: { replace: [/\.filter\(.*\)/, ''] },
    tests,
  },
  {
    id: 'mcp-server-requests-capped',
    stops: 'a server that fills the memory of its guest with requests',
    mutation: 'never',
    tests,
  },
  {
    id: 'client-log-attributed',
    stops: 'a log message of one call that reaches the client of another',
    mutation: 'left',
    tests,
  },
  {
    id: 'client-log-capped',
    stops: 'a log message that fills the memory of a client',
    mutation: 'left',
    tests: ['test/engine/instance/server-notices.test.ts'],
  },
  {
    id: 'mcp-parked-call-bound',
    stops: 'a client that answers the question of another client, or changes the input of its call',
    mutation: { replace: [' || call.same !== sameOf(spec)', ''] },
    tests: ['test/adapters/mcp/parked-calls.test.ts'],
  },
  {
    id: 'mcp-parked-calls-capped',
    stops: 'clients that leave calls waiting without end',
    mutation: 'never',
    tests: ['test/adapters/mcp/parked-calls.test.ts'],
  },
  {
    id: 'mcp-resubscribing-slows-down',
    stops: 'a server that is restarted in a tight loop for its subscriptions',
    mutation: { replace: ['waitMs * 2', 'waitMs'] },
    tests: ['test/engine/mcp-subscriptions.test.ts'],
  },
  {
    id: 'mcp-client-approves-requests-alone',
    stops: "a client that approves calls, or requests of high risk, in the host's place",
    mutation: 'never',
    tests: ['test/adapters/mcp/client-approver.test.ts'],
  },
  {
    id: 'exclusive-secret-required',
    stops: 'a request without the bound secret to a host that is granted only with it',
    mutation: 'never',
    tests: exclusive,
  },
  {
    id: 'exclusive-secret-alone',
    stops: "data that leaves to an attacker's account at an allowed host",
    mutation: 'never',
    tests: exclusive,
  },
  {
    id: 'guest-lists-pinned',
    stops: 'a tool that a server adds after it was accepted',
    mutation: 'always',
    tests: listings,
  },
  {
    id: 'guest-list-pin-compared',
    stops: 'a tool that changes its description after it was accepted',
    mutation: 'always',
    tests: listings,
  },
  {
    id: 'withheld-prompt-not-answered',
    stops: 'a new prompt that a client reads by its name',
    mutation: 'never',
    tests: listings,
  },
  {
    id: 'guest-list-digest-compared',
    stops: 'the acceptance of another list than the one that was shown',
    mutation: { replace: [/\.filter\([^]*\);/, ';'] },
    tests: listings,
  },
];
