import type {
  CallParams,
  ConfigParams,
  EventParams,
  LoadParams,
  PermissionsParams,
  SchemasParams,
  ValidatorParams,
} from './methods.js';
import { isRecord } from './parse.js';

/**
 * Guards for what a guest is told. Its host is its whole authority, so they tell messages apart and
 * leave the rest to the types: the host's own code made them.
 */
export function isLoadParams(params: unknown): params is LoadParams {
  return isRecord(params) && typeof params['code'] === 'string';
}

export function isValidatorParams(params: unknown): params is ValidatorParams {
  return isRecord(params) && typeof params['source'] === 'string';
}

export function isSchemasParams(params: unknown): params is SchemasParams {
  return isRecord(params) && Array.isArray(params['schemas']);
}

export function isConfigParams(params: unknown): params is ConfigParams {
  return isRecord(params) && params['schema'] !== undefined;
}

export function isPermissionsParams(params: unknown): params is PermissionsParams {
  return isRecord(params) && isRecord(params['grant']);
}

export function isCallParams(params: unknown): params is CallParams {
  return isRecord(params) && typeof params['tool'] === 'string';
}

export function isEventParams(params: unknown): params is EventParams {
  return isRecord(params) && typeof params['name'] === 'string';
}
