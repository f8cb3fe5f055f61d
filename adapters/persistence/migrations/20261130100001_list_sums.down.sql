{{$postgres := .POSTGRES}}
{{range $table, $keys := .SUMS}}
DROP TRIGGER tr_{{$table}}_sum_insert{{if $postgres}} ON {{$table}}{{end}};
DROP TRIGGER tr_{{$table}}_sum_update{{if $postgres}} ON {{$table}}{{end}};
DROP TRIGGER tr_{{$table}}_sum_delete{{if $postgres}} ON {{$table}}{{end}};
{{if $postgres}}DROP FUNCTION sum_{{$table}}();{{end}}
{{end}}
DROP TABLE list_sums;
