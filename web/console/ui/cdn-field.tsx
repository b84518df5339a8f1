/** Whether a CDN can serve the video of a camera's share. */

import type { ShareItem } from '../share-item.ts';
import { t } from '../words.ts';
import { SelectField } from './select.tsx';

export type CdnChoice = 'default' | 'on' | 'off';

const HINT = t(
  'After a viewer’s access ends, video that was listed until then can be loaded for one rotation, 30 seconds by default.',
);

export function CdnField({
  choice,
  onChoice,
}: {
  readonly choice: CdnChoice;
  readonly onChoice: (choice: CdnChoice) => void;
}) {
  return (
    <SelectField
      label={t('Video through a CDN')}
      value={choice}
      options={[
        { value: 'default', title: t('As the gateway is configured') },
        { value: 'on', title: t('Yes: viewers share its addresses') },
        { value: 'off', title: t('No: each viewer has their own') },
      ]}
      {...(choice === 'on' ? { hint: HINT } : {})}
      onValue={(value) => onChoice(value as CdnChoice)}
    />
  );
}

export function cdnChoiceOf({ cdn }: Pick<ShareItem, 'cdn'>): CdnChoice {
  if (cdn === undefined) return 'default';
  return cdn ? 'on' : 'off';
}

export function cdnOf(choice: CdnChoice): boolean | null {
  return choice === 'default' ? null : choice === 'on';
}
