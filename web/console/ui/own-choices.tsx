/** What a person chooses for this browser: language, theme, and time zone. */

import { BROWSER_TIME_ZONE, choose, chosen, LANGUAGE, THEME } from '../../words/choices.ts';
import { zoneTitle } from '../time-zones.ts';
import { t } from '../words.ts';
import { Chips } from './chips.tsx';
import { chooseLanguage, chooseTheme, LANGUAGE_OPTIONS, THEME_OPTIONS } from './choice-foot.tsx';
import { SelectField } from './select.tsx';
import { ZONES } from './zone-field.tsx';

const ZONE_OPTIONS = [
  { value: '', title: t('Like the browser: {timeZone}', { timeZone: zoneTitle(BROWSER_TIME_ZONE) }) },
  ...ZONES,
];

export function OwnChoices() {
  return (
    <section class="part">
      <h2>{t('Language and looks')}</h2>
      <p class="hint">{t('These apply to this browser.')}</p>
      <div class="form narrow">
        <Chips legend={t('Language')} value={LANGUAGE} options={LANGUAGE_OPTIONS} onValue={chooseLanguage} />
        <Chips legend={t('Theme')} value={THEME} options={THEME_OPTIONS} onValue={chooseTheme} />
        <SelectField
          label={t('Time zone')}
          value={chosen('timeZone') ?? ''}
          options={ZONE_OPTIONS}
          hint={t('Times of sites, recordings, and schedules stay those of their sites.')}
          onValue={(zone) => choose('timeZone', zone === '' ? null : zone)}
        />
      </div>
    </section>
  );
}
