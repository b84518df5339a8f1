/**
 * The code of a refusal for programs, and the values that its sentence names, so that a client can say it in another language. Only what the
 * sentence reads is passed on: the rest of an error's context is for the log.
 */

import type { ErrorContext, GatewayError } from '../core/errors.ts';
import { requestSentence } from './request-sentences.ts';

export const ERROR_CODE_HEADER = 'x-error-code';
export const ERROR_FIELDS_HEADER = 'x-error-fields';
/** Longer values are left out with all others: headers are short. */
const MAX_FIELDS_CHARS = 1_024;

/** `x-error-fields` is JSON in percent encoding, absent if the sentence names no values. */
export function errorHeaders(error: GatewayError): Record<string, string> {
  if (error.kind === 'internal') return { [ERROR_CODE_HEADER]: 'INTERNAL' };
  const read = new Map<string, string | number | boolean>();
  const context = new Proxy<ErrorContext>(error.context, {
    get(target, name) {
      const value = target[String(name)];
      if (value !== null && value !== undefined) read.set(String(name), value);
      return value;
    },
  });
  requestSentence({ code: error.code, message: error.message, context });
  // A whole sentence in English is not a value of one.
  read.delete('sentence');
  const fields = encodeURIComponent(JSON.stringify(Object.fromEntries(read)));
  const isShort = read.size > 0 && fields.length <= MAX_FIELDS_CHARS;
  return { [ERROR_CODE_HEADER]: error.code, ...(isShort ? { [ERROR_FIELDS_HEADER]: fields } : {}) };
}
