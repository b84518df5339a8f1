/** Languages of mails: those of the console. */

export const MAIL_LANGUAGES = ['en', 'de', 'es'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** A text in each language. */
export type InLanguages<T = string> = Readonly<Record<MailLanguage, T>>;

export function mailLanguage(given: string | null | undefined): MailLanguage {
  return MAIL_LANGUAGES.find((language) => language === given) ?? 'en';
}
