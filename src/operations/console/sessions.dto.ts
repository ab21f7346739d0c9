import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { type SessionKind, sessionKinds } from '../../http/auth/session.entity.js';
import { endOf, type Session } from '../../http/auth/sessions.service.js';
import { type RankedRole, rankedRoles } from '../../platform/config/admin-roles.js';
import { accessReasons, environments, regions } from '../../platform/config/config.js';
import { toIso } from '../../platform/platform/time.js';

export class SessionPath {
  @ApiProperty({ format: 'uuid' })
  @IsUUID()
  session_id: string;
}

/** A browser that is signed in to the console. */
export class SessionDto {
  @ApiProperty({ format: 'uuid' }) session_id: string;
  @ApiProperty({
    enum: sessionKinds,
    description: 'key: signed in with an admin key; person: by the identity provider.',
  })
  kind: SessionKind;
  @ApiProperty({ example: 'ops', description: 'Name of the key or of the person, as in the access log.' }) name: string;
  @ApiProperty({ enum: rankedRoles }) role: RankedRole;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the last request, to the minute.' }) used_at: string;
  @ApiProperty({ format: 'date-time', description: 'When it ends if unused.' }) expires_at: string;
  @ApiProperty({ description: 'True for the session of this request.' }) current: boolean;
}

class ServiceDto {
  @ApiProperty({ example: '0.9.0' }) version: string;
  @ApiProperty({ enum: regions }) region: string;
  @ApiProperty({ enum: environments }) environment: string;
  @ApiProperty({
    enum: accessReasons,
    description: 'Whether recorded reads and changes require the header x-access-reason.',
  })
  reasons: (typeof accessReasons)[number];
}

/** The caller, and the service it calls. */
export class CurrentSessionDto {
  @ApiProperty({ type: String, nullable: true, description: 'Null for a request with a key.' }) session_id:
    | string
    | null;
  @ApiProperty({ enum: sessionKinds }) kind: SessionKind;
  @ApiProperty({ example: 'ops' }) name: string;
  @ApiProperty({ enum: rankedRoles }) role: RankedRole;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expires_at: string | null;
  @ApiProperty() service: ServiceDto;
}

export function toSessionDto(session: Session, currentId: string | undefined): SessionDto {
  const { session_id, kind, name, role, created_at, used_at } = session;
  return {
    ...{ session_id, kind, name, role },
    created_at: toIso(created_at),
    used_at: toIso(used_at),
    expires_at: toIso(endOf(session)),
    current: session_id === currentId,
  };
}
