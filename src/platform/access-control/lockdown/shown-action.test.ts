import { expect, it } from 'vitest';
import { type ActionWithSecrets, withoutSecrets } from './shown-action.ts';

const ACTION = {
  alertAction: true,
  thirdPartyAudioPlaybackAction: { username: 'speaker', password: 's3cret' },
  customActions: [{ path: '/run', headers: { 'X-Key': 's3cret' } }, { path: '/stop' }],
  webhookActions: [
    {
      webhookUrl: 'https://hook.example/',
      headers: { 'X-Site': 's3cret', 'X-Door': 's3cret' },
      oauthClientId: 'desk',
      oauthClientSecret: 's3cret',
    },
  ],
};

it('keeps everything but secrets, and the names of headers', () => {
  const before = structuredClone(ACTION);
  const shown = withoutSecrets(ACTION);
  expect(shown).toEqual({
    alertAction: true,
    thirdPartyAudioPlaybackAction: { username: 'speaker' },
    customActions: [{ path: '/run', headers: { 'X-Key': '[hidden]' } }, { path: '/stop' }],
    webhookActions: [
      {
        webhookUrl: 'https://hook.example/',
        headers: { 'X-Site': '[hidden]', 'X-Door': '[hidden]' },
        oauthClientId: 'desk',
      },
    ],
  });
  expect(JSON.stringify(shown)).not.toContain('s3cret');
  expect(ACTION).toEqual(before);
});

it('adds no part that the action does not have', () => {
  const plain: ActionWithSecrets & { readonly alertAction: boolean } = { alertAction: true };
  expect(withoutSecrets(plain)).toEqual({ alertAction: true });
  expect(withoutSecrets({})).toEqual({});
});
