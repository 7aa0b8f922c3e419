export const description = `
Uniformity analysis of {{ rules }}: for every branch of the rules a shader that is accepted, and one that is not.

Made by wgsl-fuzz. An implementation that has one branch wrong, and all else right, fails a case of that branch.
`;

import { makeTestGroup } from '../../../../common/framework/test_group.js';
import { keysOf } from '../../../../common/util/data_tables.js';
import { ShaderValidationTest } from '../shader_validation_test.js';

export const g = makeTestGroup(ShaderValidationTest);
{% for group in groups %}

const k_{{ group.name }} = {
{% for case in group.cases %}
{% for line in case.about %}
  // {{ line }}
{% endfor %}
  '{{ case.name }}': {
    pass: {{ "true" if case.passes else "false" }},
    code: `
{{ case.wgsl|template }}`,
  },
{% endfor %}
};

g.test('{{ group.name }}')
  .desc(`{{ group.title|template }}`)
  .params(u => u.combine('case', keysOf(k_{{ group.name }})))
  .fn(t => {
    const { code, pass } = k_{{ group.name }}[t.params.case];
{% for extension, feature in features.items() %}
    if (code.includes('enable {{ extension }}')) {
      t.skipIfDeviceDoesNotHaveFeature('{{ feature }}');
    }
{% endfor %}
    t.expectCompileResult(pass, code);
  });
{% endfor %}
