/** Mail: how an organization appears in it, a test of the server, and the log. */

import { type Static, type TObject, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { DELIVERY_STATES } from '../../deliveries/delivery.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY } from '../../http/page-key.ts';
import { MAIL_LANGUAGES } from '../../mail/languages.ts';
import { MAIL_TOPICS, type Mail } from '../../mail/mail.ts';
import { MAX_EMAIL_CHARS } from '../../mail/mail-address.ts';
import type { MailTestResult } from '../../mail/mail-test.ts';
import { creationPage, DEFAULT_PAGE_SIZE } from '../types/creation-page.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_PAGE_SIZE = 100;
const MAX_LINK_LENGTH = 2_048;

const MAIL_SETTINGS_SCHEMA = namedType('MailSettings', {
  isSetUp: flag('Whether the gateway has a mail server (`mail.host` and `mail.from`).'),
  senderAddress: nullable(plainText('The sender’s address; absent: there is no mail server.')),
  senderName: nullable(plainText('The sender’s name; absent: `mail.name`.')),
  replyTo: nullable(plainText('Where answers go; absent: to the sender.')),
});

const EXAMPLE_SETTINGS = {
  isSetUp: true,
  senderAddress: 'alarms@example.com',
  senderName: 'Harbor security',
  replyTo: 'security@harbor.example',
};

const getMailSettings = defineEndpoint({
  path: '/api/console/getMailSettings',
  summary: 'Reads how the organization appears in its mails.',
  description:
    'The mail server itself is part of the configuration (`mail.*`), the same for all organizations.',
  isExtension: true,
  request: Type.Object({}),
  response: { mailSettings: MAIL_SETTINGS_SCHEMA },
  example: { request: {}, response: { mailSettings: EXAMPLE_SETTINGS } },
  async handler({ orgUuid, services: { mail } }) {
    const { senderName, replyTo } = await mail.organizationMail.find(orgUuid);
    const { isSetUp, address: senderAddress } = mail.sender;
    return { mailSettings: { isSetUp, senderAddress, senderName, replyTo } };
  },
});

const updateMailSettings = defineEndpoint({
  path: '/api/console/updateMailSettings',
  summary: 'Changes how the organization appears in its mails.',
  description: 'Absent fields stay as they are. An empty text removes one.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    senderName: Type.Optional(text('The sender’s name. Empty: `mail.name`.', MAX_NAME_LENGTH)),
    replyTo: Type.Optional(text('Where answers go, one address. Empty: to the sender.', MAX_EMAIL_CHARS)),
  }),
  response: {},
  example: { request: { replyTo: 'security@harbor.example' }, response: {} },
  async handler({ orgUuid, services: { mail } }, { senderName, replyTo }) {
    await mail.organizationMail.update(orgUuid, {
      ...(senderName === undefined ? {} : { senderName: senderName.trim() || null }),
      ...(replyTo === undefined ? {} : { replyTo: replyTo.trim() || null }),
    });
    return {};
  },
});

const ATTEMPT_SCHEMA = namedType('MailAttempt', {
  timestampMs: int64('When it began, epoch milliseconds.'),
  durationMs: int64('How long it took.'),
  smtpStatus: nullable(int32('Status of the mail server; absent if it said nothing.')),
  reply: plainText('The server’s words, on one line; empty: none.'),
  errorCode: nullable(plainText('The error code; absent if the server took the mail.')),
});

const MAIL_SCHEMA = namedType('Mail', {
  mailUuid: ruuid('The mail, as in its `Message-ID`.'),
  topic: oneOf(MAIL_TOPICS, 'What it is about.'),
  forUuid: nullable(ruuid('The person or the receiver who gets it; absent: someone else.')),
  to: plainText('The address; empty until it is first sent.'),
  subject: plainText('The subject; empty until it is first sent.'),
  state: oneOf(DELIVERY_STATES, 'Its state. DELIVERED: the mail server took it.'),
  attempts: listOf(ATTEMPT_SCHEMA, 'The attempts, the first one first.'),
  nextAttemptAtMs: nullable(int64('When the next attempt is, epoch milliseconds; absent if there is none.')),
  createdAtMs: int64('When it was queued, epoch milliseconds.'),
});

function mailResponse({ uuid, parentUuid, body, createdAtMs }: Mail): Static<typeof MAIL_SCHEMA> {
  const { topic, to, subject, state, attempts, nextAttemptAtMs } = body;
  return {
    mailUuid: uuid,
    topic,
    forUuid: parentUuid,
    to,
    subject,
    state,
    attempts: attempts.map(({ atMs, durationMs, smtpStatus, reply, errorCode }) => ({
      timestampMs: atMs,
      durationMs,
      smtpStatus,
      reply,
      errorCode,
    })),
    nextAttemptAtMs,
    createdAtMs,
  };
}

const EXAMPLE_MAIL = {
  mailUuid: deriveRuuid('example', 'mail'),
  topic: 'ALERTS' as const,
  forUuid: deriveRuuid('example', 'person'),
  to: 'ada@example.com',
  subject: 'Person at the gate',
  state: 'DELIVERED' as const,
  attempts: [
    {
      timestampMs: EXAMPLE_TIME_MS,
      durationMs: 240,
      smtpStatus: 250,
      reply: '250 2.0.0 queued as 4711',
      errorCode: null,
    },
  ],
  nextAttemptAtMs: null,
  createdAtMs: EXAMPLE_TIME_MS,
};

const getMails = defineEndpoint({
  path: '/api/console/getMails',
  summary: 'Lists mails and what the mail server said.',
  description:
    'The newest first. The newest 2,000 of the organization are kept. A mail that the server cannot take now is tried up to ten times, with ' +
    'growing pauses; one that it refuses for good is not tried again.',
  isExtension: true,
  request: Type.Object({
    forUuid: Type.Optional(ruuid('Only mails for this person or receiver.')),
    lastEvaluatedKey: PAGE_KEY,
    maxPageSize: Type.Optional(int32(`Entries per page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
  }),
  response: { mails: listOf(MAIL_SCHEMA, 'The mails.'), lastEvaluatedKey: NEXT_PAGE_KEY },
  example: { request: {}, response: { mails: [EXAMPLE_MAIL], lastEvaluatedKey: null } },
  async handler({ orgUuid, services: { mail } }, { forUuid, ...page }) {
    const { items, lastEvaluatedKey } = await creationPage('newestMails', page, (query) =>
      mail.outbox.page(orgUuid, {
        order: 'newest-first',
        ...query,
        ...(forUuid === undefined ? {} : { parentUuid: forUuid }),
      }),
    );
    return { mails: LongList.of(items).map(mailResponse), lastEvaluatedKey };
  },
});

/** What the mail server said to a test. */
export const MAIL_TEST_RESPONSE = {
  delivered: flag('Whether the mail server took it.'),
  smtpStatus: nullable(int32('Status of the mail server; absent if it said nothing.')),
  reply: plainText('The server’s words, on one line; empty: none.'),
  durationMs: int64('How long it took.'),
  errorCode: nullable(plainText('The error code; absent if nothing went wrong.')),
  errorSentence: nullable(plainText('What went wrong, in a sentence.')),
};

export const EXAMPLE_MAIL_TEST = {
  delivered: false,
  smtpStatus: 535,
  reply: '535 5.7.8 Authentication credentials invalid',
  durationMs: 310,
  errorCode: 'MAIL_LOGIN_REFUSED',
  errorSentence: 'The mail server refused the login.',
};

export function mailTestResponse({
  mail,
  error,
}: MailTestResult): Static<TObject<typeof MAIL_TEST_RESPONSE>> {
  const { smtpStatus, reply, durationMs } = mail.body.attempts[0]!;
  return {
    delivered: error === null,
    smtpStatus,
    reply,
    durationMs,
    errorCode: error?.code ?? null,
    errorSentence: error?.message ?? null,
  };
}

const sendTestMail = defineEndpoint({
  path: '/api/console/sendTestMail',
  summary: 'Sends one mail now, as a test.',
  description:
    'It goes to a person of the organization, is tried once, and is listed by `getMails`. A mail that the server refuses is a result, not an ' +
    'error. A mark that the server had refused the address before is removed.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    to: text('The email address of a person of the organization.', MAX_EMAIL_CHARS),
    language: Type.Optional(oneOf(MAIL_LANGUAGES, 'Its language. Default `en`.')),
  }),
  response: MAIL_TEST_RESPONSE,
  example: {
    request: { to: 'ada@example.com' },
    response: EXAMPLE_MAIL_TEST,
  },
  async handler({ orgUuid, services: { mail } }, { to, language = 'en' }) {
    return mailTestResponse(await mail.mailTest.run(orgUuid, to, language));
  },
});

const sendLinkMail = defineEndpoint({
  path: '/api/console/sendLinkMail',
  summary: 'Sends a link or an invitation of this gateway by mail.',
  description:
    'The URL must be one that the gateway made: of a share, a wall, a clip, or an invitation. It is not in the log, and is stored encrypted ' +
    'until the mail is sent. The password of a link is not sent.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    url: text('The link.', MAX_LINK_LENGTH),
    to: text('One email address.', MAX_EMAIL_CHARS),
    name: text('What the link shows, or who is invited.', MAX_NAME_LENGTH),
    language: Type.Optional(oneOf(MAIL_LANGUAGES, 'The language of the mail. Default `en`.')),
  }),
  response: { mailUuid: ruuid('The mail, as in `getMails`.') },
  example: {
    request: { url: 'https://media.example.com/live/a-share-token', to: 'bo@example.com', name: 'Gate' },
    response: { mailUuid: EXAMPLE_MAIL.mailUuid },
  },
  async handler({ orgUuid, caller, services }, { language = 'en', ...given }) {
    const { publicApiUrl, publicMediaUrl } = services.consoleAddresses;
    const mailUuid = await services.mail.linkMails.send(
      orgUuid,
      { ...given, language, from: caller.actor.name },
      { links: [`${publicMediaUrl}/`], invitations: `${publicApiUrl}/console/#invite=` },
    );
    return { mailUuid };
  },
});

export const MAIL_ENDPOINTS: readonly Endpoint[] = [
  sendLinkMail,
  getMailSettings,
  updateMailSettings,
  getMails,
  sendTestMail,
];
