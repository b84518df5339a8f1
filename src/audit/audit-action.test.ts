import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { ChangeEvent } from '../store/store.ts';
import { auditActionOf } from './audit-action.ts';

it('the removal of a key that was revoked long ago is not another revocation', () => {
  const action = (type: ChangeEvent['type'], revoked: boolean) =>
    auditActionOf({
      entity: 'apiKey',
      type,
      orgUuid: newRuuid(),
      uuid: newRuuid(),
      details: { deviceUuid: null, fields: { name: 'Desk', revoked } },
    });
  expect(action('UPDATE', true)).toBe('API_TOKEN_REVOKE');
  expect(action('DELETE', true)).toBe('API_TOKEN_DELETE');
});
