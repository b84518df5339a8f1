/** The words of mails about alerts and devices, in the languages of the console. */

import type { InLanguages, MailLanguage } from '../mail/languages.ts';
import type { DigestTopic } from './alert-tally.ts';

export interface DigestWords {
  readonly alert: string;
  readonly removedDevice: string;
  readonly counted: (count: number) => string;
  readonly subject: (topic: DigestTopic, count: number, devices: number) => string;
  readonly opening: (topic: DigestTopic, count: number, devices: number) => string;
  readonly more: (topic: DigestTopic, count: number, devices: number) => string;
  readonly offline: (since: string) => string;
  readonly online: (since: string) => string;
  readonly problem: (symptom: string, since: string) => string;
  readonly between: (first: string, last: string) => string;
  readonly validation: (level: number) => string;
  readonly show: string;
  readonly expires: string;
  readonly why: string;
  readonly unsubscribe: string;
}

const DIGEST_WORDS: InLanguages<DigestWords> = {
  en: {
    alert: 'Alert',
    removedDevice: 'A device that was removed',
    counted: (count) => `${number('en', count)} times`,
    subject: (topic, count, devices) =>
      topic === 'ALERTS'
        ? `${number('en', count)} alerts of ${cameras('en', devices)}`
        : `${cameras('en', devices)}: connection`,
    opening: (topic, count, devices) =>
      topic === 'ALERTS'
        ? count === 1
          ? 'There is a new alert.'
          : `There are ${number('en', count)} new alerts of ${cameras('en', devices)}.`
        : devices === 1
          ? 'The connection of 1 camera has changed.'
          : `The connections of ${number('en', devices)} cameras have changed.`,
    more: (topic, count, devices) =>
      topic === 'ALERTS'
        ? `And ${number('en', count)} more alerts of ${cameras('en', devices)}.`
        : `And ${number('en', devices)} more ${devices === 1 ? 'camera' : 'cameras'}.`,
    offline: (since) => `Offline since ${since}`,
    online: (since) => `Online again since ${since}`,
    problem: (symptom, since) => `${symptom} since ${since}`,
    between: (first, last) => `${first} to ${last}`,
    validation: (level) => `Alarm validation (AVS-01): level ${level}`,
    show: 'Show in the console',
    expires: 'The link works for 7 days and asks you to sign in.',
    why: 'You get this mail because of your notification settings.',
    unsubscribe: 'Get no more mails like this',
  },
  de: {
    alert: 'Alarm',
    removedDevice: 'Ein entferntes Gerät',
    counted: (count) => `${number('de', count)}-mal`,
    subject: (topic, count, devices) =>
      topic === 'ALERTS'
        ? `${number('de', count)} Alarme von ${cameras('de', devices)}`
        : `${cameras('de', devices)}: Verbindung`,
    opening: (topic, count, devices) =>
      topic === 'ALERTS'
        ? count === 1
          ? 'Es gibt einen neuen Alarm.'
          : `Es gibt ${number('de', count)} neue Alarme von ${cameras('de', devices)}.`
        : devices === 1
          ? 'Die Verbindung von 1 Kamera hat sich geändert.'
          : `Die Verbindungen von ${number('de', devices)} Kameras haben sich geändert.`,
    more: (topic, count, devices) =>
      topic === 'ALERTS'
        ? `Und ${number('de', count)} weitere Alarme von ${cameras('de', devices)}.`
        : `Und ${number('de', devices)} weitere ${devices === 1 ? 'Kamera' : 'Kameras'}.`,
    offline: (since) => `Offline seit ${since}`,
    online: (since) => `Wieder online seit ${since}`,
    problem: (symptom, since) => `${symptom} seit ${since}`,
    between: (first, last) => `${first} bis ${last}`,
    validation: (level) => `Alarmbewertung (AVS-01): Stufe ${level}`,
    show: 'In der Konsole zeigen',
    expires: 'Der Link gilt 7 Tage und verlangt eine Anmeldung.',
    why: 'Sie bekommen diese E-Mail wegen Ihrer Benachrichtigungseinstellungen.',
    unsubscribe: 'Keine solchen E-Mails mehr bekommen',
  },
  es: {
    alert: 'Alerta',
    removedDevice: 'Un dispositivo eliminado',
    counted: (count) => `${number('es', count)} veces`,
    subject: (topic, count, devices) =>
      topic === 'ALERTS'
        ? `${number('es', count)} alertas de ${cameras('es', devices)}`
        : `${cameras('es', devices)}: conexión`,
    opening: (topic, count, devices) =>
      topic === 'ALERTS'
        ? count === 1
          ? 'Hay una alerta nueva.'
          : `Hay ${number('es', count)} alertas nuevas de ${cameras('es', devices)}.`
        : devices === 1
          ? 'La conexión de 1 cámara ha cambiado.'
          : `Las conexiones de ${number('es', devices)} cámaras han cambiado.`,
    more: (topic, count, devices) =>
      topic === 'ALERTS'
        ? `Y ${number('es', count)} alertas más de ${cameras('es', devices)}.`
        : `Y ${number('es', devices)} ${devices === 1 ? 'cámara' : 'cámaras'} más.`,
    offline: (since) => `Sin conexión desde ${since}`,
    online: (since) => `Conectada de nuevo desde ${since}`,
    problem: (symptom, since) => `${symptom} desde ${since}`,
    between: (first, last) => `${first} a ${last}`,
    validation: (level) => `Validación de la alarma (AVS-01): nivel ${level}`,
    show: 'Mostrar en la consola',
    expires: 'El enlace funciona 7 días y pide iniciar sesión.',
    why: 'Recibe este correo por sus ajustes de notificaciones.',
    unsubscribe: 'No recibir más correos como este',
  },
};

export function digestWords(language: MailLanguage): DigestWords {
  return DIGEST_WORDS[language];
}

const CAMERAS: InLanguages<readonly [one: string, many: string]> = {
  en: ['camera', 'cameras'],
  de: ['Kamera', 'Kameras'],
  es: ['cámara', 'cámaras'],
};

function cameras(language: MailLanguage, count: number): string {
  const [one, many] = CAMERAS[language];
  return `${number(language, count)} ${count === 1 ? one : many}`;
}

function number(language: MailLanguage, value: number): string {
  return value.toLocaleString(language);
}
