/** Above the buttons of a form: why it did not work. */

import type { CallError } from '../api.ts';
import { t, tRich } from '../words.ts';

export function FormError({ error }: { readonly error: CallError | null }) {
  if (error === null) return null;
  return (
    <p class="form-error" role="alert">
      {error.message}
      {error.retryAfterSec !== null &&
        ` ${t('Try again in {retryAfterSec} s.', { retryAfterSec: error.retryAfterSec })}`}
      {error.requestId !== null && (
        <span class="request-id"> {tRich('Request {code}', { code: <code>{error.requestId}</code> })}</span>
      )}
    </p>
  );
}
