import { makeBrand } from '../brand.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { member, toText } from '../web-idl.js';

export type DOMExceptionClass = new (message?: unknown, nameOrOptions?: unknown) => Error;

/** The compartment's `DOMException`: an `Error` that callers identify by its `name`. */
export const domExceptionClass: (capabilities: EndowmentCapabilities) => DOMExceptionClass =
  perCompartment(() => {
    const names = makeBrand<string>('DOMException');

    class DOMException {
      declare readonly message: string;

      static {
        // Not `extends Error`: the start realm's Error can read stacks, and a plugin would reach it
        // as the prototype of this class. TypeError inherits from the tamed one.
        Object.setPrototypeOf(DOMException, Object.getPrototypeOf(TypeError));
        Object.setPrototypeOf(DOMException.prototype, Error.prototype);
        for (const [constant, code] of LEGACY.values()) {
          const property = { value: code, enumerable: true };
          Object.defineProperty(DOMException, constant, property);
          Object.defineProperty(DOMException.prototype, constant, property);
        }
      }

      constructor(message: unknown = '', nameOrOptions: unknown = 'Error') {
        const { name, cause } = readOptions(nameOrOptions);
        const self: DOMException = Reflect.construct(
          Error,
          [toText(message), ...cause],
          new.target,
        );
        names.give(self, name);
        return self;
      }

      get name(): string {
        return names.demand(this);
      }

      get code(): number {
        return LEGACY.get(names.demand(this))?.[1] ?? 0;
      }

      get [Symbol.toStringTag](): string {
        return 'DOMException';
      }
    }

    return DOMException;
  });

function readOptions(given: unknown): { readonly name: string; readonly cause: object[] } {
  if (typeof given !== 'object' || given === null) return { name: toText(given), cause: [] };
  const name = member(given, 'name');
  return {
    name: name === undefined ? 'Error' : toText(name),
    cause: 'cause' in given ? [{ cause: given.cause }] : [],
  };
}

/** The names with a legacy number. */
const LEGACY: ReadonlyMap<string, readonly [constant: string, code: number]> = new Map([
  ['IndexSizeError', ['INDEX_SIZE_ERR', 1]],
  ['HierarchyRequestError', ['HIERARCHY_REQUEST_ERR', 3]],
  ['WrongDocumentError', ['WRONG_DOCUMENT_ERR', 4]],
  ['InvalidCharacterError', ['INVALID_CHARACTER_ERR', 5]],
  ['NoModificationAllowedError', ['NO_MODIFICATION_ALLOWED_ERR', 7]],
  ['NotFoundError', ['NOT_FOUND_ERR', 8]],
  ['NotSupportedError', ['NOT_SUPPORTED_ERR', 9]],
  ['InUseAttributeError', ['INUSE_ATTRIBUTE_ERR', 10]],
  ['InvalidStateError', ['INVALID_STATE_ERR', 11]],
  ['SyntaxError', ['SYNTAX_ERR', 12]],
  ['InvalidModificationError', ['INVALID_MODIFICATION_ERR', 13]],
  ['NamespaceError', ['NAMESPACE_ERR', 14]],
  ['InvalidAccessError', ['INVALID_ACCESS_ERR', 15]],
  ['TypeMismatchError', ['TYPE_MISMATCH_ERR', 17]],
  ['SecurityError', ['SECURITY_ERR', 18]],
  ['NetworkError', ['NETWORK_ERR', 19]],
  ['AbortError', ['ABORT_ERR', 20]],
  ['URLMismatchError', ['URL_MISMATCH_ERR', 21]],
  ['QuotaExceededError', ['QUOTA_EXCEEDED_ERR', 22]],
  ['TimeoutError', ['TIMEOUT_ERR', 23]],
  ['InvalidNodeTypeError', ['INVALID_NODE_TYPE_ERR', 24]],
  ['DataCloneError', ['DATA_CLONE_ERR', 25]],
]);
