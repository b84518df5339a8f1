/** Until when a new link works, and its password: the terms of every link. */

import { useState } from 'preact/hooks';
import { type Expiry, expirationTimeSecs, expiryFault } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { strengthOf } from '../password.ts';
import { t } from '../words.ts';
import { ExpiryField } from './expiry-field.tsx';
import { PasswordField } from './password-field.tsx';

export interface LinkTerms {
  /** As the API takes it; undefined: it never ends. */
  readonly expirationTimeSecs: number | undefined;
  /** Empty: none. */
  readonly password: string;
}

export interface TermsDraft {
  readonly expiry: Expiry;
  readonly password: string;
  readonly fault: string | null;
  readonly setExpiry: (expiry: Expiry) => void;
  readonly setPassword: (password: string) => void;
  /** Null: the form says what is wrong with them. */
  readonly check: () => LinkTerms | null;
}

export function useTerms(endsInSec: number): TermsDraft {
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'in', sec: endsInSec });
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  return {
    expiry,
    password,
    fault,
    setExpiry,
    setPassword,
    check: () => {
      const found = expiryFault(expiry, gatewayNowMs());
      setFault(found);
      if (found !== null) return null;
      return {
        expirationTimeSecs: expirationTimeSecs(expiry),
        // A password of blanks counts as none; any other text counts as typed.
        password: strengthOf(password) === 'none' ? '' : password,
      };
    },
  };
}

export function TermsFields({
  draft,
  passwordLabel = t('Password'),
}: {
  readonly draft: TermsDraft;
  readonly passwordLabel?: string;
}) {
  return (
    <>
      <ExpiryField expiry={draft.expiry} error={draft.fault} onExpiry={draft.setExpiry} />
      <PasswordField label={passwordLabel} value={draft.password} onValue={draft.setPassword} />
    </>
  );
}
