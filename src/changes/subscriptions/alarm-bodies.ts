import { Injectable } from '@nestjs/common';
import { HttpConfig, PushConfig } from '../../platform/config/config.js';
import type { Change } from '../../storage/change-log/change.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import { alarmBody } from './alarm-message.js';
import type { AlarmPayload, Payload } from './subscription.entity.js';

/** Builds the bodies of pushes about alarms, in the form of the receiver. */
@Injectable()
export class AlarmBodies {
  constructor(
    private readonly declarations: Declarations,
    private readonly http: HttpConfig,
    private readonly push: PushConfig,
  ) {}

  of(subscription: string, payload: AlarmPayload, { action, subject: code }: Change): string {
    const state = action === 'gone' ? 'is over' : action === 'created' ? 'is raised' : 'has changed';
    const { severity = 'warning', message = '', action: toDo = '' } = this.declarations.alarmTexts[code] ?? {};
    const isOver = action === 'gone';
    const about = isOver ? '' : ` ${message} ${toDo}`;
    const text = `Pulsekeep: the alarm ${code} (${severity}) ${state}.${about} See docs/runbook.md#${code}.`;
    const key = `${subscription}/${code}`;
    return alarmBody(payload, { key, code, severity, isOver, summary: message, text, ...this.common });
  }

  ofTest(subscription: string, payload: AlarmPayload): string {
    const text = 'Pulsekeep: this is a test.';
    const key = `${subscription}/test`;
    return alarmBody(payload, {
      ...{ key, code: 'test', severity: 'info', isOver: false, summary: text, text },
      ...this.common,
    });
  }

  /** True if bodies of this form need a key that is not configured. */
  lacksKey(payload: Payload): boolean {
    return payload === 'pagerduty' && this.push.pagerDutyRoutingKey === undefined;
  }

  private get common(): { link: string | null; routingKey: string } {
    const { publicUrl } = this.http;
    const link = publicUrl === undefined ? null : `${publicUrl}/console`;
    return { link, routingKey: this.push.pagerDutyRoutingKey?.reveal() ?? '' };
  }
}
