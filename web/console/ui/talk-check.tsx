/** Whether viewers of a camera's share may talk to people at the camera. */

import { t } from '../words.ts';
import { Check } from './check.tsx';

export function TalkCheck({
  isChecked,
  onCheck,
}: {
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}) {
  return (
    <Check
      label={t('Viewers can talk')}
      hint={t('People at the camera hear anyone who has the link, if the camera has a speaker.')}
      isChecked={isChecked}
      onCheck={onCheck}
    />
  );
}
