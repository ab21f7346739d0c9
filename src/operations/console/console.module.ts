import { Module } from '@nestjs/common';
import { AccessLogModule } from '../../privacy/access-log/access-log.module.js';
import { PeopleSignIn } from './people-sign-in.service.js';
import { SessionsController } from './sessions.controller.js';
import { SettingsController } from './settings.controller.js';

@Module({
  imports: [AccessLogModule],
  controllers: [SessionsController, SettingsController],
  providers: [PeopleSignIn],
  exports: [PeopleSignIn],
})
export class ConsoleModule {}
