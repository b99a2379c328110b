import { BulkheadError } from '../errors.js';

export function refused(name: string, why: string): BulkheadError<'PACKAGE_REFUSED'> {
  return new BulkheadError('PACKAGE_REFUSED', `${name} was not fetched: ${why}.`, {
    package: name,
  });
}
