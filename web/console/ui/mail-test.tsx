/** Sends one mail now, as a test, and shows what the mail server said. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type MailTestResult, sendTestMail } from '../mail-list.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { Sentence } from './sentence.tsx';
import { useAction } from './use-action.ts';

export function MailTest({ email, onTested }: { readonly email: string; readonly onTested: () => void }) {
  const [to, setTo] = useState(email);
  return (
    <SendTest send={() => sendTestMail(to)} onTested={onTested}>
      <TextField
        label={t('Send a test to')}
        type="email"
        isRequired
        hint={t('A person of your organization. The mail is sent now, and once.')}
        value={to}
        onValue={setTo}
      />
    </SendTest>
  );
}

/** A form that sends one mail, and shows what the mail server said. */
export function SendTest({
  send,
  onTested,
  children,
}: {
  readonly send: () => Promise<MailTestResult>;
  readonly onTested: () => void;
  readonly children: ComponentChildren;
}) {
  const [result, setResult] = useState<MailTestResult | null>(null);
  const { isBusy, error, run } = useAction();
  return (
    <form
      class="mail-test"
      aria-label={t('Test')}
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          setResult(null);
          setResult(await send());
          onTested();
        });
      }}
    >
      {children}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? t('Sending…') : t('Send a test')}
        </button>
      </div>
      <div role="status">{result !== null && <Outcome result={result} />}</div>
      <FormError error={error} />
    </form>
  );
}

function Outcome({ result }: { readonly result: MailTestResult }) {
  const { delivered, reply, durationMs, errorSentence } = result;
  return (
    <>
      <p>
        <b class={delivered ? 'fine' : 'trouble'}>
          {delivered ? t('The mail server took it') : t('It did not work')}
        </b>{' '}
        {t('After {durationMs} ms', { durationMs })}
      </p>
      {errorSentence !== undefined && (
        <p>
          <Sentence text={errorSentence} />
        </p>
      )}
      {reply !== '' && (
        <>
          <p class="hint">{t('The mail server said')}</p>
          <pre class="response-start">{reply}</pre>
        </>
      )}
    </>
  );
}
