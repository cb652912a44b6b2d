/** Whatever is typed into whatever field of whatever form of the settings, no answer and no page that shows it is a failure. */
import { fillForms } from './naughty-forms.ts';

fillForms('settings');
