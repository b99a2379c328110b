import { makeBrand, type Brand } from '../brand.js';
import type { EndowmentPowers } from '../endowment.js';
import { formDecode } from '../form-urlencoded.js';
import { perCompartment } from '../per-compartment.js';
import { blobClasses } from './blob.js';
import { type Body, gatherBody, isUsed, openBody } from './body.js';
import { formDataClass, type FormEntry, forms } from './form-data.js';
import { getHeader, headerStates } from './headers.js';
import { parseMultipart, readBoundary } from './multipart-parse.js';
import { decodeUtf8 } from './utf8.js';

export interface BodyOwner {
  body: Body | undefined;
  /** A Headers object. */
  readonly headers: object;
}

export const bodyOwners: Brand<BodyOwner> = makeBrand<BodyOwner>('Request or Response');

export type BodyClass = new () => object;

/** What `Request` and `Response` have in common: a body, and the ways to read it. */
export const bodyClass: (powers: EndowmentPowers) => BodyClass = perCompartment((powers) => {
  const FormData = formDataClass(powers);
  const { makeBlob, makeFile } = blobClasses(powers);

  const gather = async (owner: BodyOwner): Promise<Uint8Array> =>
    gatherBody(owner.body, powers.limits.maxBodyBytes);
  const readForm = (bytes: Uint8Array, type: string): FormEntry[] | undefined => {
    if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
      return formDecode(decodeUtf8(bytes, powers.text), powers.text);
    }
    const boundary = /^multipart\/form-data\s*;/i.test(type) ? readBoundary(type) : undefined;
    if (boundary === undefined) return undefined;
    return parseMultipart(bytes, boundary, powers.text)?.map(
      ({ name, fileName, type: label, content }) =>
        fileName === undefined
          ? [name, decodeUtf8(content, powers.text)]
          : [name, makeFile(content, label, fileName)],
    );
  };

  return class Body {
    get body(): object | null {
      const { body } = bodyOwners.demand(this);
      return body === undefined ? null : openBody(body);
    }
    get bodyUsed(): boolean {
      const { body } = bodyOwners.demand(this);
      return body !== undefined && isUsed(body);
    }

    async text(): Promise<string> {
      return decodeUtf8(await gather(bodyOwners.demand(this)), powers.text);
    }
    async json(): Promise<unknown> {
      const text = decodeUtf8(await gather(bodyOwners.demand(this)), powers.text);
      const value: unknown = JSON.parse(text);
      return value;
    }
    async arrayBuffer(): Promise<ArrayBufferLike> {
      const { buffer } = await gather(bodyOwners.demand(this));
      return buffer;
    }
    async bytes(): Promise<Uint8Array> {
      return gather(bodyOwners.demand(this));
    }
    async blob(): Promise<object> {
      const owner = bodyOwners.demand(this);
      return makeBlob(await gather(owner), contentType(owner).toLowerCase());
    }
    async formData(): Promise<object> {
      const owner = bodyOwners.demand(this);
      const list = readForm(await gather(owner), contentType(owner));
      if (list === undefined) throw new TypeError('The body is not a form');
      const form: object = Object.create(FormData.prototype);
      forms.give(form, { list });
      return form;
    }
  };
});

function contentType({ headers }: BodyOwner): string {
  return getHeader(headerStates.demand(headers).list, 'content-type') ?? '';
}
