/** POST /api/accesscontrol/lockdownPlan/createLockdownRuleForLocation: what happens when something happens. */

import { Type } from 'typebox';
import { actionsLeftToClients } from '../../../access-control/lockdown/lockdown-rule.ts';
import { ruuid } from '../../fields/field-types.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_SCHEDULE_UUID } from '../../types/examples.ts';
import { EXAMPLE_RULE_UUID, LOCKDOWN_RULE_INPUT } from './lockdown-rule-type.ts';

export const createLockdownRuleForLocation = defineEndpoint({
  path: '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation',
  summary: 'Creates a lockdown rule for a location.',
  description:
    'The rule runs when an activity it waits for is reported at the location: a trigger of a policy alert, or the ' +
    'type of a component event. Sluice then sets the states of doors and elevator landings, raises an alert and ' +
    'calls webhooks; other actions are kept, and `warningMsg` names them. Calls are POST requests with a JSON body, ' +
    'signed in `x-sluice-signature: t=<epoch seconds>,v1=<hex>` with HMAC-SHA256 over `<epoch seconds>.<body>`; the ' +
    'secret of each address is read with `/api/integrations/webhooks/getWebhookIntegration`. Redirects are not ' +
    'followed, and hosts in private networks are called only where the configuration allows it.',
  request: Type.Object({ rule: LOCKDOWN_RULE_INPUT }),
  response: { ruleUuid: ruuid('The rule.') },
  example: {
    request: {
      rule: {
        locationUuid: EXAMPLE_LOCATION_UUID,
        ruleName: 'Panic button',
        triggerActivity: 'PanicButtonEvent',
        ruleFilters: { scheduleUuids: [EXAMPLE_SCHEDULE_UUID], triggerBackoffSecs: 60 },
        action: {
          alertAction: true,
          webhookActions: [
            { webhookUrl: 'https://dispatch.example.com/lockdown', headers: { 'x-site': 'Headquarters' } },
          ],
        },
      },
    },
    response: { ruleUuid: EXAMPLE_RULE_UUID },
  },
  async handler(context, { rule }) {
    const { orgUuid, services } = context;
    const ruleUuid = await services.accessControl.lockdownRules.create(orgUuid, rule);
    const kept = actionsLeftToClients(rule.action);
    if (kept.length > 0) {
      context.warn(`The gateway keeps these actions and does not carry them out: ${kept.join(', ')}.`);
    }
    return { ruleUuid };
  },
});
