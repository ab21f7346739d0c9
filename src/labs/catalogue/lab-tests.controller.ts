import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { CallerLeft } from '../../http/server/caller-left.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RoutesAre } from '../../http/server/route-facts.js';
import { LabTestDto, LabTestMarkersDto, LabTestPageDto, LabTestPath } from './lab-tests.dto.js';
import { LabTestsService } from './lab-tests.service.js';

@ApiTags('labs')
@ForOperators()
@ApiProblem('invalid_request', ...upstreamFailures)
@RoutesAre({ limit: 'labs' })
@Controller('admin/v1/labs/tests')
export class LabTestsController {
  constructor(private readonly labTests: LabTestsService) {}

  @Get()
  @Role('viewer', 'backend')
  @ApiOperation({
    summary: 'Lab tests that can be ordered',
    description:
      "In upstream's order, with every field that upstream returns; cached for up to a minute. A page has at most " +
      '50 tests, whatever the limit: follow next_cursor.',
  })
  @ApiOkResponse({ type: LabTestPageDto })
  async listLabTests(@Query() { limit, cursor }: PageQuery, @CallerLeft() left: AbortSignal): Promise<LabTestPageDto> {
    const { tests, unreadable, nextCursor } = await this.labTests.list(limit, cursor, left);
    return { data: [...tests], next_cursor: nextCursor, unreadable };
  }

  @Get(':lab_test_id')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Get a lab test that can be ordered' })
  @ApiOkResponse({ type: LabTestDto })
  @ApiProblem('not_found')
  getLabTest(@Param() { lab_test_id }: LabTestPath, @CallerLeft() left: AbortSignal): Promise<LabTestDto> {
    return this.labTests.get(lab_test_id, left);
  }

  @Get(':lab_test_id/markers')
  @Role('viewer', 'backend')
  @ApiOperation({
    summary: 'The markers of a lab test, with the questions to answer when it is ordered',
    description:
      'Answer each required question in aoe_answers of POST /admin/v1/orders/place: {marker_id, question_id, answer}, ' +
      'the answer as text, for a choice its code. Every field that upstream returns; cached for up to a minute.',
  })
  @ApiOkResponse({ type: LabTestMarkersDto })
  @ApiProblem('not_found')
  async listLabTestMarkers(
    @Param() { lab_test_id }: LabTestPath,
    @CallerLeft() left: AbortSignal,
  ): Promise<LabTestMarkersDto> {
    return { data: [...(await this.labTests.markers(lab_test_id, left))] };
  }
}
