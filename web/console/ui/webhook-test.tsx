/** Calls a webhook once, as a test, and shows what came back. */

import { useState } from 'preact/hooks';
import type { Answer } from '../api.ts';
import { testWebhook } from '../webhook-list.ts';
import { t } from '../words.ts';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

type Result = Answer<'webhook/sendTestDelivery'>;

export function WebhookTest({ url, onTested }: { readonly url: string; readonly onTested: () => void }) {
  const [result, setResult] = useState<Result | null>(null);
  const { isBusy, error, run } = useAction();
  const test = () =>
    void run(async () => {
      setResult(null);
      setResult(await testWebhook(url));
      onTested();
    });
  return (
    <section class="webhook-test" aria-label={t('Test')}>
      <button type="button" disabled={isBusy} onClick={test}>
        {isBusy ? t('Calling…') : t('Send a test')}
      </button>
      <p class="hint">{t('One call with the event “test”, signed like every other one.')}</p>
      <div role="status">{result !== null && <Outcome result={result} />}</div>
      <FormError error={error} />
    </section>
  );
}

function Outcome({ result }: { readonly result: Result }) {
  const { delivered, httpStatus, durationMs, errorSentence, responseStart } = result;
  return (
    <>
      <p>
        <b class={delivered ? 'fine' : 'trouble'}>{delivered ? t('It works') : t('It did not work')}</b>{' '}
        {httpStatus === undefined
          ? t('No response after {durationMs} ms', { durationMs })
          : t('Status {httpStatus} after {durationMs} ms', { httpStatus, durationMs })}
      </p>
      {!delivered && errorSentence !== undefined && <p>{errorSentence}</p>}
      {responseStart !== undefined && responseStart !== '' && (
        <>
          <p class="hint">{t('The response begins with')}</p>
          <pre class="response-start">{responseStart}</pre>
        </>
      )}
    </>
  );
}
