/** Language, theme, and the way out at the foot of a phone's menu; wider screens have them in the account and at the top. */

import {
  choose,
  LANGUAGE,
  LANGUAGES,
  type Language,
  THEME,
  THEMES,
  type Theme,
} from '../../words/choices.ts';
import { signOut } from '../session.ts';
import { t } from '../words.ts';
import { Select } from './select.tsx';

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: t('Like the system'),
  light: t('Light'),
  dark: t('Dark'),
};

export const LANGUAGE_OPTIONS = Object.entries(LANGUAGES).map(([value, title]) => ({
  value: value as Language,
  title,
}));

export const THEME_OPTIONS = THEMES.map((value) => ({ value, title: THEME_NAMES[value] }));

export function chooseLanguage(language: Language): void {
  choose('language', language);
}

export function chooseTheme(theme: Theme): void {
  choose('theme', theme === 'system' ? null : theme);
}

export function ChoiceFoot() {
  return (
    <div class="menu-foot">
      <Select label={t('Language')} value={LANGUAGE} options={LANGUAGE_OPTIONS} onValue={chooseLanguage} />
      <Select label={t('Theme')} value={THEME} options={THEME_OPTIONS} onValue={chooseTheme} />
      <button type="button" onClick={() => void signOut()}>
        {t('Sign out')}
      </button>
    </div>
  );
}
