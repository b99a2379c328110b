import type { EngineOptions } from '../../src/index.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/**
 * What one plugin is given and asked. Everything is plain data, so that an oracle can be sent it.
 * `@workspace` in its texts stands for the working directory.
 */
export interface Scenario<Step = unknown> {
  /** The permissions that Bulkhead grants, as in the option `grant` for this plugin. */
  readonly grant: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  /** The operator's configuration of the plugin. */
  readonly config?: JsonObject;
  /** By `service/field`. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Answers of the hosts that the plugin asks, by host name. Other hosts are unreachable. */
  readonly hosts?: Readonly<Record<string, readonly HostRoute[]>>;
  /** Files of the working directory before the first step. */
  readonly files?: Readonly<Record<string, string>>;
  /** In order. Each step sees what earlier steps left behind. */
  readonly steps: readonly Step[];
  /** Differences that are meant: the step's number from 1, and the reason. */
  readonly known?: Readonly<Record<number, string>>;
}

/** The first route that fits answers. */
export interface HostRoute {
  /** Default: every method. */
  readonly method?: string;
  /** The beginning of path and query. Default: every path. */
  readonly path?: string;
  /** Default: 200. */
  readonly status?: number;
  /** A text is sent as it is; other data as JSON. */
  readonly body: Json;
  /** Default: `application/json`, or `text/plain` for a text. */
  readonly type?: string;
}

/** What one step did. Two outcomes are compared after `normalise`. */
export interface Outcome {
  readonly answer: Json;
  /** The requests that reached the scenario's hosts during the step. */
  readonly requests: readonly SeenRequest[];
}

export interface SeenRequest {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  /** Of the headers, those that carry meaning. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One run of a scenario. */
export interface RunSpec<Step> {
  readonly id: string;
  /** A fresh copy of the plugin, in a directory `plugins` of `workspace`. */
  readonly plugin: string;
  /** A fresh directory with the scenario's files. */
  readonly workspace: string;
  readonly scenario: Scenario<Step>;
  /** The loopback origins of the scenario's hosts. */
  readonly origins: Readonly<Record<string, string>>;
  /** How npm packages in the plugin run in Bulkhead. Default: with the plugin's own code. */
  readonly packages?: NonNullable<EngineOptions['packages']>;
  /** Called after each step, with its answer. */
  readonly onAnswer: (answer: Json) => void;
}

/** A plugin system: how a scenario runs in Bulkhead, and in the system's own runtime. */
export interface RealSystem<Step> {
  readonly ours: (spec: RunSpec<Step>) => Promise<void>;
  readonly oracle: (spec: RunSpec<Step>) => Promise<void>;
  /** Why the oracle cannot run on this machine; `undefined` if it can. */
  readonly missing: () => string | undefined | Promise<string | undefined>;
}
