import type { Readable } from 'node:stream';
import { Body, Controller, Get, Headers, HttpCode, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { isEventStream } from '../../http/auth/event-stream.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { ChangePageDto } from './feed.dto.js';
import { ChangesQuery, SnapshotRequest } from './feed.query.js';
import { Feed } from './feed.service.js';
import { FeedStream } from './feed.stream.js';
import { Snapshots } from './snapshots.service.js';

const text = (example: string): object => ({ schema: { type: 'string', example } });

@ApiTags('changes')
@ForOperators()
@Controller('v1')
export class ChangesController {
  constructor(
    private readonly feed: Feed,
    private readonly stream: FeedStream,
    private readonly snapshots: Snapshots,
  ) {}

  @Get('changes')
  @Role('viewer', 'feed')
  @RouteIs({ limit: 'feed', streams: true })
  @ApiOperation({
    summary: 'Changes after a cursor, oldest first, or back from it',
    description:
      'With `Accept: text/event-stream`: server-sent events `change` and `heartbeat`, each with a cursor as its id; ' +
      '`Last-Event-ID` continues after it, and `limit`, `order` and `wait` have no effect. See docs/changes.md.',
  })
  @ApiHeader({ name: 'last-event-id', required: false, description: 'Same as `after`, for event streams.' })
  @ApiExtraModels(ChangePageDto)
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ChangePageDto) } },
      'text/event-stream': {
        schema: { type: 'string' },
        example: 'event: change\nid: 0123456789ab-2s-mi5k3a00\ndata: {...}\n\n',
      },
    },
  })
  @ApiProblem('invalid_request', 'not_found', 'cursor_expired', 'feed_restarted', 'cursor_ahead')
  async listChanges(
    @Query() { wait, ...question }: ChangesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('last-event-id') lastEventId?: string,
  ): Promise<ChangePageDto | StreamableFile> {
    const isStream = isEventStream(reply.request);
    const after = (isStream ? lastEventId : undefined) ?? question.after;
    const order = isStream ? 'oldest' : question.order;
    const followed = await this.feed.open(reply.request, { ...question, after, order });
    const seconds = order === 'newest' ? 0 : wait;
    if (!isStream) return (await this.feed.read(followed, seconds * 1_000, reply)).page;
    reply.header('x-accel-buffering', 'no');
    return streamed(reply, this.stream.open(followed, reply), 'text/event-stream');
  }

  @Post('snapshots')
  @HttpCode(200)
  @Role('viewer', 'feed')
  @RouteIs({ limit: 'snapshots', fromReplica: true })
  @ApiOperation({
    summary: 'Stream the current state as NDJSON, with the position from which to read changes',
    description:
      'The first line has the `position`, the last one `type: end`; without the last line the snapshot is ' +
      'incomplete. Replace your copy, then read changes after the position. Erased accounts are left out, so no ' +
      'line has the kind `erasure`.',
  })
  @ApiOkResponse({
    content: {
      'application/x-ndjson': text('{"type":"position","position":"0123456789ab-1-mr0","kinds":["account"]}\n'),
    },
  })
  @ApiProblem('invalid_request', 'not_found')
  async takeSnapshot(
    @Body() { kinds, account_id }: SnapshotRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const account = account_id === undefined ? undefined : await this.feed.accountOf(reply.request, account_id);
    return streamed(reply, await this.snapshots.open(kinds, account, reply), 'application/x-ndjson');
  }
}

function streamed({ raw }: FastifyReply, stream: Readable, type: string): StreamableFile {
  // Several parts of the server listen to streams.
  raw.setMaxListeners(20);
  return new StreamableFile(stream, { type });
}
