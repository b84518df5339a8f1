/** A lockdown rule's action without its secrets: passwords, client secrets and header values. */

const HIDDEN = '[hidden]';

/** The parts of an action that contain secrets; a rule keeps all other parts as they were given. */
export interface ActionWithSecrets {
  readonly thirdPartyAudioPlaybackAction?: { readonly password?: string };
  readonly customActions?: readonly WithHeaders[];
  readonly webhookActions?: readonly (WithHeaders & { readonly oauthClientSecret?: string })[];
}

interface WithHeaders {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A copy without passwords and client secrets; headers keep their names only. */
export function withoutSecrets<Action extends ActionWithSecrets>(action: Action): Action {
  const { thirdPartyAudioPlaybackAction, webhookActions, customActions } = action;
  const { password: _password, ...audio } = thirdPartyAudioPlaybackAction ?? {};
  return {
    ...action,
    ...(thirdPartyAudioPlaybackAction !== undefined && { thirdPartyAudioPlaybackAction: audio }),
    ...(customActions !== undefined && { customActions: customActions.map(withoutHeaderValues) }),
    ...(webhookActions !== undefined && {
      webhookActions: webhookActions.map(({ oauthClientSecret: _secret, ...webhook }) =>
        withoutHeaderValues(webhook),
      ),
    }),
  };
}

function withoutHeaderValues<Part extends WithHeaders>(part: Part): Part {
  if (part.headers === undefined) return part;
  const headers = Object.fromEntries(Object.keys(part.headers).map((name) => [name, HIDDEN]));
  return { ...part, headers };
}
