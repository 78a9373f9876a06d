package awsstandin

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func (s *server) dataSource(name string) (*objectType, error) {
	if o := s.dataSources[name]; o != nil {
		return o, nil
	}
	return nil, fmt.Errorf("the stand-in has no data source %s", name)
}

// ValidateDataSourceConfig validates a data block.
func (s *server) ValidateDataSourceConfig(_ context.Context, req *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	o, err := s.dataSource(req.TypeName)
	if err != nil {
		return nil, err
	}
	config, err := o.unpack(req.Config)
	if err != nil {
		return nil, err
	}
	return &tfprotov5.ValidateDataSourceConfigResponse{Diagnostics: o.validateBlock(config, tftypes.NewAttributePath())}, nil
}

// ReadDataSource answers from the configuration and from what is made up.
func (s *server) ReadDataSource(_ context.Context, req *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	o, err := s.dataSource(req.TypeName)
	if err != nil {
		return nil, err
	}
	config, err := o.unpack(req.Config)
	if err != nil {
		return nil, err
	}
	state, err := o.pack(s.read(o, config, fingerprint(req.Config)))
	return &tfprotov5.ReadDataSourceResponse{State: state}, err
}

// read is the state of a data source: the configuration, then the answer of
// answers, then made-up values.
func (s *server) read(o *objectType, config tftypes.Value, seed string) tftypes.Value {
	q := s.query(config)
	if answer := answers[o.name]; answer != nil {
		for name, v := range answer(q) {
			if a := o.attributes[name]; a.computed && q.obj[name].IsNull() {
				q.obj[name] = toValue(a.typ, v)
			}
		}
	}
	return s.maker(o, "data "+seed, q.obj, nil, isComputedNull).make()
}
