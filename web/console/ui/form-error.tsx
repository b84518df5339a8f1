/** Above the buttons of a form: why it did not work. */

import type { CallError } from '../api.ts';

export function FormError({ error }: { readonly error: CallError | null }) {
  if (error === null) return null;
  return (
    <p class="form-error" role="alert">
      {error.message}
      {error.retryAfterSec !== null && ` Try again in ${error.retryAfterSec} s.`}
      {error.requestId !== null && (
        <span class="request-id">
          {' '}
          Request <code>{error.requestId}</code>
        </span>
      )}
    </p>
  );
}
