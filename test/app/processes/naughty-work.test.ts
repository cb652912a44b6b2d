/** Whatever is typed into whatever field of whatever form of matters, tasks and what else is not a person nor a setting, no answer and no page that shows it is a failure. */
import { fillForms } from './naughty-forms.ts';

fillForms('work');
