/** Whether viewers of a camera's share sign in with the provider before they watch. */

import { useEffect, useState } from 'preact/hooks';
import { loadSsoLabel } from '../session.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';

const ONLY_BROWSERS = t('Only browsers can: the address for players does not work.');

/** Nothing where single sign-on is not set up, unless the share has it already: then it can be turned off. */
export function SignInCheck({
  isChecked,
  wasChecked = false,
  onCheck,
}: {
  readonly isChecked: boolean;
  /** State of an existing share. */
  readonly wasChecked?: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}) {
  const [label, setLabel] = useState<string | null>(null);
  useEffect(() => void loadSsoLabel().then(setLabel), []);
  if (label === null && !wasChecked) return null;
  return (
    <Check
      label={label === null ? t('Viewers sign in') : t('Viewers sign in with {label}', { label })}
      hint={ONLY_BROWSERS}
      isChecked={isChecked}
      onCheck={onCheck}
    />
  );
}
